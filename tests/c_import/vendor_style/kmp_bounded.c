// all in 97..99
#define PATTERN 4
#define STRING 40
static void CPF(char pattern[PATTERN], int kmpNext[PATTERN]) {
  int k = 0, q;
  kmpNext[0] = 0;
  for (q = 1; q < PATTERN; q++) {
    for (int g = 0; g < PATTERN; g++) {
      if (!(k > 0 && pattern[k] != pattern[q])) break;
      k = kmpNext[k - 1];
    }
    if (pattern[k] == pattern[q]) k++;
    kmpNext[q] = k;
  }
}
int kmp(char pattern[PATTERN], char input[STRING], int kmpNext[PATTERN], int n_matches[1]) {
  int i, q = 0;
  n_matches[0] = 0;
  CPF(pattern, kmpNext);
  for (i = 0; i < STRING; i++) {
    for (int g = 0; g < PATTERN; g++) {
      if (!(q > 0 && pattern[q] != input[i])) break;
      q = kmpNext[q - 1];
    }
    if (pattern[q] == input[i]) q++;
    if (q >= PATTERN) { n_matches[0]++; q = kmpNext[q - 1]; }
  }
  return 0;
}
