// all in -9..9
#define N 6
typedef int T;
void mmult(const T *restrict a, const T *restrict b, T *restrict c, int n) {
  T la[N][N], lb[N][N];
  for (int it = 0, i = 0, j = 0; it < N * N; it++, j++) { if (j == N) { j = 0; i++; } la[i][j] = a[it]; lb[i][j] = b[it]; }
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
    T s = 0;
    for (int k = 0; k < N; k++) s += la[i][k] * lb[k][j];
    c[i * N + j] = s;
  }
}
