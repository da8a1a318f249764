/* Data: counted_rows x:u1:24,80 u:u1:480 w:i4:24 */
#include <stdint.h>
void counted_rows(const uint8_t x[24][80], uint8_t *u, int w[24]) {
    int n = 0;
    for (int r = 0; r < 24; r++) {
      for (int c = 0; c < 80; c++) {
        if (r % 2) { if (c % 2 == 1) u[n++] = x[r][c]; }
      }
      w[r] = n;
    }
}
