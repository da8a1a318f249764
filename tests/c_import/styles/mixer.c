/* Data: mixer x:c16:40 r:f8:40 k:i4:40 y:c16:40 */
#include <complex.h>
static double complex turned(double complex z, int quarter) {
  return quarter & 1 ? z * I : z;
}
void mixer(const double complex *x, const double *r, const int *k, double complex *y) {
  for (int n = 0; n < 40; n++) {
    double complex t = r[n] * x[n] + 2.0f - x[n] / r[n];
    t = -turned(t, k[n]) + (r[n] + 1.0f * I * k[n]) - (k[n] - x[n]);
    y[n] = t == x[n] || !t ? x[n] : 3 - t;
  }
}
