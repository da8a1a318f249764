/* Data: fir x:i2:200 y:i2:200; z starts with 8 i2 zeros */
#include <stdint.h>
static int16_t z[8];
static const int16_t c[8] = {1, -3, 7, 20, 20, 7, -3, 1};
void fir(const int16_t *x, int16_t *y) {
  for (int n = 0; n < 200; n++) {
    for (int k = 7; k > 0; k--)
      z[k] = z[k - 1];
    z[0] = x[n];
    int32_t acc = 0;
    for (int k = 0; k < 8; k++)
      acc += z[k] * c[k];
    y[n] = acc >> 6;
  }
}
