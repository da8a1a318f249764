/* Data: offsets img:u1:12,20 grown:u1:12,20 e:i2:12,20 out:u1:12,20 x:i2:80 sorted:i2:80 */
#include <stdint.h>
#define W 20
#define H 12
static const struct { int8_t dx, dy; } nb[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
static const struct tap { int dx, dy, w; } taps[4] = {{1, 0, 7}, {-1, 1, 3}, {0, 1, 5}, {1, 1, 1}};
static const uint8_t order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
void offsets(const uint8_t *img, uint8_t *grown, int16_t e[H][W], uint8_t out[H][W], const int16_t *x, int16_t *sorted) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      uint8_t m = img[y * W + x];
      for (int k = 0; k < 4; k++) {
        int nx = x + nb[k].dx, ny = y + nb[k].dy;
        if (nx < 0 || nx >= W || ny < 0 || ny >= H) continue;
        if (img[ny * W + nx] > m) m = img[ny * W + nx];
      }
      grown[y * W + x] = m;
    }
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int old = e[y][x];
      out[y][x] = old < 128 ? 0 : 255;
      for (unsigned k = 0; k < sizeof taps / sizeof taps[0]; k++) {
        int xx = x + taps[k].dx, yy = y + taps[k].dy;
        if (xx < 0 || xx >= W || yy >= H) continue;
        e[yy][xx] += (old - out[y][x]) * taps[k].w / 16;
      }
    }
  for (int b = 0; b < 10; b++)
    for (int i = 0; i < 8; i++) sorted[8 * b + i] = x[8 * b + order[i]];
}
