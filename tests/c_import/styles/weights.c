/* Data: weights mask:u1:4,6,10 img:u1:4,6,10 first:u4:16 */
#include <stdint.h>
void weights(const uint8_t mask[4][6][10], const uint8_t img[4][6][10], uint32_t first[16]) {
  for (int f = 0; f < 4; f++)
    for (int y = 0; y < 6; y++)
      for (int x = 1; x < 10; x++)
        first[img[f][y][x] >> 4] += mask[f][y][x - 1] * 3u;
}
