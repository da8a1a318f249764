// all in 97..99
#define PATTERN 4
#define STRING 40
static void CPF(char pattern[PATTERN], int kmpNext[PATTERN]) {
  int k, q;
  k = 0;
  kmpNext[0] = 0;
  c1: for (q = 1; q < PATTERN; q++) {
    c2: while (k > 0 && pattern[k] != pattern[q]) { k = kmpNext[q]; }
    if (pattern[k] == pattern[q]) k++;
    kmpNext[q] = k;
  }
}
int kmp(char pattern[PATTERN], char input[STRING], int kmpNext[PATTERN], int n_matches[1]) {
  int i, q;
  n_matches[0] = 0;
  CPF(pattern, kmpNext);
  q = 0;
  k1: for (i = 0; i < STRING; i++) {
    k2: while (q > 0 && pattern[q] != input[i]) { q = kmpNext[q]; }
    if (pattern[q] == input[i]) q++;
    if (q >= PATTERN) { n_matches[0]++; q = kmpNext[q - 1]; }
  }
  return 0;
}
