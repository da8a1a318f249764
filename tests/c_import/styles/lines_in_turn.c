/* Data: sobel in:u1:14,18 out:u1:14,18 */
#include <stdint.h>
#include <string.h>
#define W 18
#define H 14
static uint8_t lb[3][W];
static int absi(int v) { return v < 0 ? -v : v; }
void sobel(const uint8_t in[H][W], uint8_t out[H][W]) {
  for (int y = 0; y < H; y++) {
    memcpy(lb[y % 3], in[y], W);
    if (y < 2) continue;
    const uint8_t *t = lb[(y - 2) % 3], *m = lb[(y - 1) % 3], *b = lb[y % 3];
    for (int x = 1; x < W - 1; x++) {
      int gx = t[x + 1] - t[x - 1] + 2 * (m[x + 1] - m[x - 1]) + b[x + 1] - b[x - 1];
      int gy = b[x - 1] - t[x - 1] + 2 * (b[x] - t[x]) + b[x + 1] - t[x + 1];
      int g = absi(gx) + absi(gy);
      out[y - 1][x] = g > 255 ? 255 : (uint8_t)g;
    }
  }
}
