/* Data: fir x:i2:100 y:i2:100 */
#include <stdint.h>
#include <string.h>
static const int16_t c[5] = {1, 5, 9, 5, 1};
void fir(const int16_t *x, int16_t *y) {
  int16_t z[5];
  memset(z, 0, sizeof z);
  for (int n = 0; n < 100; n++) {
    memmove(&z[1], &z[0], 4 * sizeof(z[0]));
    z[0] = x[n];
    int acc = 0;
    for (int k = 0; k < 5; k++) acc += c[k] * z[k];
    y[n] = acc >> 4;
  }
}
