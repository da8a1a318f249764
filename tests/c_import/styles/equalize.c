/* Data: equalize img:u1:32,32 out:u1:32,32 */
#include <stdint.h>
#define H 32
#define W 32
void equalize(const uint8_t img[H][W], uint8_t out[H][W]) {
  int hist[256] = {0};
  uint8_t lut[256];
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) hist[img[y][x]]++;
  int sum = 0;
  for (int i = 0; i < 256; i++) { sum += hist[i]; lut[i] = (uint8_t)(sum * 255 / (H * W)); }
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) out[y][x] = lut[img[y][x]];
}
