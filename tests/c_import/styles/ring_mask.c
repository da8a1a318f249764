/* Data: fir x:i2:256 h:i2:16 y:i4:256 */
#include <stdint.h>
#define N 256
#define TAPS 16
#define MASK (TAPS-1)
void fir(const int16_t x[N], const int16_t h[TAPS], int32_t y[N]) {
  int16_t buf[TAPS] = {0};
  int pos = 0;
  for (int n = 0; n < N; n++) {
    buf[pos] = x[n];
    int32_t acc = 0;
    for (int k = 0; k < TAPS; k++)
      acc += (int32_t)h[k] * buf[(pos - k) & MASK];
    y[n] = acc;
    pos = (pos + 1) & MASK;
  }
}
