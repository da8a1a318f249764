/* Data: hist img:u1:48,64 h:u4:256 */
#include <stdint.h>
#define H 48
#define W 64
void hist(const uint8_t img[H][W], uint32_t h[256]) {
  for (int i = 0; i < 256; i++) h[i] = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      h[img[y][x]]++;
}
