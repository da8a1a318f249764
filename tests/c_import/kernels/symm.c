#define M 7
#define N 8

/* C := alpha A B + beta C, of A the lower triangle */
void symm(double alpha, double beta, double C[M][N], double A[M][M], double B[M][N])
{
  double t;
#pragma scop
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      t = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        t += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * t;
    }
#pragma endscop
}
