// all in -4..4
#define N 12
void heat(double a[N], double b[N], int steps) {
  double *src = a, *dst = b;
  for (int t = 0; t < 4; t++) {
    for (int i = 1; i < N - 1; i++) dst[i] = 0.25 * (src[i - 1] + 2 * src[i] + src[i + 1]);
    double *tmp = src; src = dst; dst = tmp;
  }
}
