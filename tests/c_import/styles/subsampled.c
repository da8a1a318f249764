/* Data: subsampled x:u1:24,80 y:u1:1920 u:u1:480 v:u1:480 w:u1:960 */
#include <stdint.h>
void subsampled(const uint8_t x[24][80], uint8_t *y, uint8_t *u, uint8_t *v, uint8_t *w) {
    int n = 0, m = 0;
    for (int r = 0; r < 24; r++) {
      for (int c = 0; c < 80; c++) {
        *y++ = x[r][c] / 3;
        if (r % 2 == 0 && c % 2 == 0) { *u++ = x[r][c] / 2; v[n++] = 255 - x[r][c]; }
      }
      if (r & 1) for (int c = 0; c < 80; c++) w[m++] = x[r][c] + 1;
    }
}
