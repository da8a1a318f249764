/* Data: mean in:u1:24,32 out:u1:24,32 last:i4:24 */
#include <stdint.h>
#define H 24
#define W 32
void mean(const uint8_t in[H][W], uint8_t out[H][W], int last[H]) {
  for (int y = 0; y < H; y++) {
    int x0, x1;
    for (int x = 0; x < W; x++) {
      int y0 = y - 2, y1 = y + 2;
      x0 = x < 2 ? 0 : x - 2;
      x1 = x + 2 >= W ? W - 1 : x + 2;
      if (y0 < 0) y0 = 0;
      if (y1 > H - 1) y1 = H - 1;
      int sum = 0, n = 0;
      for (int j = y0; j <= y1; j++)
        for (int i = x0; i <= x1; i++) { sum += in[j][i]; n++; }
      out[y][x] = sum / n;
    }
    int k, c = 0;
    for (k = y + 1; k >= (y > 1 ? y - 1 : 0); k--) c += 3 * k;
    last[y] = c;
  }
}
