#define M 7
#define N 9
#define FLOAT_N 9.0

/* The covariance of each two columns of data. */
void covariance(double data[N][M], double cov[M][M])
{
  double mean[M];
#pragma scop
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= FLOAT_N;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      data[i][j] -= mean[j];
  for (int i = 0; i < M; i++)
    for (int j = i; j < M; j++) {
      cov[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= FLOAT_N - 1.0;
      cov[j][i] = cov[i][j];
    }
#pragma endscop
}
