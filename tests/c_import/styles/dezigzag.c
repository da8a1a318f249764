/* Data: dezig in:i2:6,64 q:u1:64 out:i2:6,8,8 last:u1:6 */
#include <stdint.h>
#include <string.h>
static const uint8_t zz[64] = {
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
void dezig(const int16_t in[6][64], const uint8_t q[64], int16_t out[6][8][8], uint8_t last[6]) {
  for (int b = 0; b < 6; b++) {
    int16_t *o = &out[b][0][0];
    memset(o, 0, 64 * sizeof(int16_t));
    int l = 0;
    for (int i = 0; i < 64; i++) {
      int v = in[b][i] >> 12;
      if (!v) continue;
      o[zz[i]] = (int16_t)(v * q[i]);
      l = i;
    }
    last[b] = (uint8_t)l;
  }
}
