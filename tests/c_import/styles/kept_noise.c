/* Data: f x:u1:90 y:u1:90; seed starts with 1 u4 zeros; z starts with 3 i4 zeros; last starts with 1 i4 zeros */
#include <stdint.h>
static uint32_t noise(void) {
  static uint32_t seed;
  seed = seed * 1103515245u + 12345u;
  return seed >> 16;
}
static int smooth(int v) {
  static int z[3];
  for (int k = 2; k > 0; k--) z[k] = z[k - 1];
  z[0] = v;
  return (z[0] + 2 * z[1] + z[2]) >> 2;
}
void f(const uint8_t *x, uint8_t *y) {
  for (int n = 0; n < 90; n++) {
    static int last;
    int dithered = x[n] + (noise() & 7);
    dithered -= noise() & 7;
    y[n] = smooth(dithered);
    y[n] += smooth(last);
    last = dithered;
  }
}
