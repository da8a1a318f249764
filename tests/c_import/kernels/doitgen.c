#define NQ 4
#define NR 5
#define NP 6

/* Each line of A times C4, in place. */
void doitgen(double A[NR][NQ][NP], double C4[NP][NP])
{
  double sum[NP];
#pragma scop
  for (int r = 0; r < NR; r++)
    for (int q = 0; q < NQ; q++) {
      for (int p = 0; p < NP; p++) {
        sum[p] = 0.0;
        for (int s = 0; s < NP; s++)
          sum[p] += A[r][q][s] * C4[s][p];
      }
      for (int p = 0; p < NP; p++)
        A[r][q][p] = sum[p];
    }
#pragma endscop
}
