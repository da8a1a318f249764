/* Data: channel x:c8:64 y:c8:64 power:f4:64 */
#include <complex.h>
#define N 64
#define TAPS 5
static const float complex h[TAPS] = {0.5f + 0.25f * I, -1.0f * I, 1.0f, CMPLXF(0.25f, -0.5f), 2.0f};
void channel(const float complex *x, float complex *y, float *power) {
  for (int n = 0; n < N; n++) {
    float complex sum = 0;
    for (int k = 0; k < TAPS; k++)
      if (n - k >= 0) sum += conjf(h[k]) * x[n - k];
    y[n] = sum;
    power[n] = crealf(sum) * crealf(sum) + cimagf(sum) * cimagf(sum);
  }
}
