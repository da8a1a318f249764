/* Data: clahe src:u1:32,48 dst:u1:32,48 */
#include <stdint.h>
#include <string.h>
#define W 48
#define H 32
#define TX 4
#define TY 2
#define BINS 256
enum { TILE_W = W / TX, TILE_H = H / TY, CLIP = 12 };
typedef struct tile_map { uint8_t lut[BINS]; } tile_map;
void clahe(const uint8_t *src, uint8_t *dst) {
  static tile_map maps[TY][TX];
  for (int ty = 0; ty < TY; ty++) {
    for (int tx = 0; tx < TX; tx++) {
      unsigned hist[BINS];
      memset(hist, 0, sizeof hist);
      const uint8_t *p = src + ty * TILE_H * W + tx * TILE_W;
      for (int y = 0; y < TILE_H; y++, p += W)
        for (int x = 0; x < TILE_W; x++) hist[p[x]]++;
      unsigned excess = 0;
      for (int b = 0; b < BINS; b++)
        if (hist[b] > CLIP) { excess += hist[b] - CLIP; hist[b] = CLIP; }
      unsigned cdf = 0;
      for (int b = 0; b < BINS; b++) {
        cdf += hist[b] + excess / BINS;
        maps[ty][tx].lut[b] = (uint8_t)((cdf * 255u) / (TILE_W * TILE_H));
      }
    }
  }
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) dst[y * W + x] = maps[y / TILE_H][x / TILE_W].lut[src[y * W + x]];
}
