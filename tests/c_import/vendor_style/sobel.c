#include <stdint.h>
#define W 16
#define H 10
static inline uint8_t sat(int v) { return v > 255 ? 255 : (v < 0 ? 0 : (uint8_t)v); }
void sobel(const uint8_t *src, uint8_t *dst) {
  static const int8_t gx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  static const int8_t gy[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
  for (int r = 0; r < H; ++r)
    for (int c = 0; c < W; ++c) {
      if (r == 0 || c == 0 || r == H - 1 || c == W - 1) { dst[r * W + c] = 0; continue; }
      int sx = 0, sy = 0;
      for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) {
        int p = src[(r + i) * W + (c + j)];
        sx += p * gx[i + 1][j + 1];
        sy += p * gy[i + 1][j + 1];
      }
      int mag = (sx < 0 ? -sx : sx) + (sy < 0 ? -sy : sy);
      dst[r * W + c] = sat(mag >> 1);
    }
}
