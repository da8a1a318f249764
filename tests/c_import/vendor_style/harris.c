#include <stdint.h>
#define H 12
#define W 12
void harris(uint8_t img[H][W], int32_t resp[H][W], uint8_t corner[H][W]) {
  int16_t ix[H][W], iy[H][W];
  for (int y = 1; y < H - 1; y++) for (int x = 1; x < W - 1; x++) {
    ix[y][x] = (img[y][x + 1] - img[y][x - 1]) / 2;
    iy[y][x] = (img[y + 1][x] - img[y - 1][x]) / 2;
  }
  for (int y = 2; y < H - 2; y++) for (int x = 2; x < W - 2; x++) {
    int32_t a = 0, b = 0, c = 0;
    for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) {
      int gx = ix[y + dy][x + dx], gy = iy[y + dy][x + dx];
      a += gx * gx; b += gy * gy; c += gx * gy;
    }
    int32_t det = a * b - c * c, tr = a + b;
    resp[y][x] = det - ((tr * tr) >> 4) - ((tr * tr) >> 5);
  }
  for (int y = 3; y < H - 3; y++) for (int x = 3; x < W - 3; x++) {
    int32_t v = resp[y][x];
    int is_max = v > 1000;
    for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) {
      if (dy == 0 && dx == 0) continue;
      if (resp[y + dy][x + dx] >= v) is_max = 0;
    }
    corner[y][x] = is_max ? 255 : 0;
  }
}
