#define M 7
#define N 9

/* B := alpha A^T B, with ones on the diagonal of the triangle A */
void trmm(double alpha, double A[M][M], double B[M][N])
{
#pragma scop
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < M; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
#pragma endscop
}
