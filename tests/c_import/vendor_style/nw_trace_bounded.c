// all in 97..100
#define ALEN 8
#define BLEN 8
void traceback(char SEQA[ALEN], char SEQB[BLEN], char ptr[(ALEN + 1) * (BLEN + 1)], char alignedA[ALEN + BLEN], char alignedB[ALEN + BLEN]) {
  int a_idx = ALEN, b_idx = BLEN, a_str = 0, b_str = 0, r;
  for (int t = 0; t < ALEN + BLEN; t++) {
    if (!(a_idx > 0 || b_idx > 0)) break;
    r = b_idx * (ALEN + 1);
    if (a_idx > 0 && b_idx > 0 && ptr[r + a_idx] == 'a') { alignedA[a_str++] = SEQA[a_idx - 1]; alignedB[b_str++] = SEQB[b_idx - 1]; a_idx--; b_idx--; }
    else if (a_idx > 0 && ptr[r + a_idx] == 'b') { alignedA[a_str++] = SEQA[a_idx - 1]; alignedB[b_str++] = '-'; a_idx--; }
    else if (b_idx > 0) { alignedA[a_str++] = '-'; alignedB[b_str++] = SEQB[b_idx - 1]; b_idx--; }
    else { alignedA[a_str++] = SEQA[a_idx - 1]; alignedB[b_str++] = '-'; a_idx--; }
  }
  for (int t = 0; t < ALEN + BLEN; t++) { if (t < a_str) continue; alignedA[t] = 0x5f; }
}
