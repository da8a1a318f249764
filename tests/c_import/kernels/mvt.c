#define N 11

/* x1 += A y1 and x2 += A^T y2 */
void mvt(double x1[N], double x2[N], double y1[N], double y2[N], double A[N][N])
{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x1[i] = x1[i] + A[i][j] * y1[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x2[i] = x2[i] + A[j][i] * y2[j];
#pragma endscop
}
