/* Data: comb x:i2:4,200 y:i4:4,200 */
#include <stdint.h>
#define D 12
void comb(int16_t x[4][200], int32_t y[4][200]) {
  for (int c = 0; c < 4; c++) {
    int32_t line[D];
    int w = 0, i;
    for (i = 0; i < D; i++) line[i] = 0;
    for (int n = 0; n < 200; n++) {
      int r = w - 7; if (r < 0) r += D;
      int32_t out = x[c][n] + (line[w] >> 1) - (line[r] >> 2);
      line[w] = out;
      if (++w >= D) w = 0;
      y[c][n] = out;
    }
  }
}
