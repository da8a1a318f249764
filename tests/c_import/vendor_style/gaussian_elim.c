// all in 1..9
#include <math.h>
#define N 5
void solve(double a[N][N], double b[N], double x[N]) {
  for (int k = 0; k < N - 1; k++) {
    int piv = k;
    for (int i = k + 1; i < N; i++) if (fabs(a[i][k]) > fabs(a[piv][k])) piv = i;
    if (piv != k) {
      for (int j = 0; j < N; j++) { double t = a[k][j]; a[k][j] = a[piv][j]; a[piv][j] = t; }
      double t = b[k]; b[k] = b[piv]; b[piv] = t;
    }
    for (int i = k + 1; i < N; i++) {
      double f = a[i][k] / a[k][k];
      for (int j = k; j < N; j++) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  }
  for (int i = N - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = i + 1; j < N; j++) s -= a[i][j] * x[j];
    x[i] = s / a[i][i];
  }
}
