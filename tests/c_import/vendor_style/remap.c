// mapx in 0..8
// mapy in 0..6
#include <stdint.h>
#define W 8
#define H 6
void remap(const uint8_t src[H][W], uint8_t dst[H][W], const uint8_t mapx[H][W], const uint8_t mapy[H][W]) {
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) {
    int u = mapx[y][x], v = mapy[y][x];
    dst[y][x] = (u < W && v < H) ? src[v][u] : 0;
  }
}
