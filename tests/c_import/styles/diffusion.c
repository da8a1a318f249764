/* Data: dither img:i2:24,32 out:u1:24,32 */
#include <stdint.h>
#define H 24
#define W 32
void dither(int16_t img[H][W], uint8_t out[H][W]) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int old = img[y][x] & 255;
      int q = old < 128 ? 0 : 255;
      out[y][x] = q;
      int e = old - q;
      if (x + 1 < W)
        img[y][x + 1] += e * 7 / 16;
      if (y + 1 < H) {
        if (x > 0)
          img[y + 1][x - 1] += e * 3 / 16;
        img[y + 1][x] += e * 5 / 16;
        if (x + 1 < W)
          img[y + 1][x + 1] += e / 16;
      }
    }
}
