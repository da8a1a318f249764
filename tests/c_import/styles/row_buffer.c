/* Data: blur in:u1:20,70 out:u1:18,68 */
#include <stdint.h>
void blur(const uint8_t in[20][70], uint8_t out[18][68]) {
  uint16_t sums[70];
  for (int y = 0; y < 18; y++) {
    for (int x = 0; x < 70; x++) sums[x] = in[y][x] + 2 * in[y + 1][x] + in[y + 2][x];
    for (int x = 0; x < 68; x++) out[y][x] = (sums[x] + 2 * sums[x + 1] + sums[x + 2] + 8) >> 4;
  }
}
