#define NI 7
#define NJ 8
#define NK 9

/* C := alpha A B + beta C */
void gemm(double alpha, double beta, double C[NI][NJ], double A[NI][NK], double B[NK][NJ])
{
#pragma scop
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++)
      C[i][j] *= beta;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
#pragma endscop
}
