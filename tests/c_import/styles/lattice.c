/* Data: lattice x:i2:100 y:i2:100 k:i2:8; g starts with 9 i2 zeros */
#include <stdint.h>
void lattice(const int16_t x[100], int16_t y[100], const int16_t k[8]) {
  static int16_t g[9];
  for (int n = 0; n < 100; n++) {
    int16_t f = x[n], before = g[0];
    g[0] = x[n];
    for (int m = 1; m <= 8; m++) {
      int16_t back = before;
      before = g[m];
      g[m] = back + ((f * k[m - 1] + 16384) >> 15);
      f = f + ((back * k[m - 1] + 16384) >> 15);
    }
    y[n] = f;
  }
}
