/* Data: conv in:u1:24,32 out:u1:24,32 */
#include <stdint.h>
#include <string.h>
void conv(const uint8_t in[24][32], uint8_t out[24][32]) {
  uint8_t lb[3][32] = {0};
  for (int y = 0; y < 24; y++) {
    memcpy(lb[0], lb[1], 32);
    memcpy(lb[1], lb[2], 32);
    memcpy(lb[2], in[y], 32);
    for (int x = 0; x < 32; x++) {
      int s = 0;
      for (int j = 0; j < 3; j++) for (int i = -1; i <= 1; i++) if (x + i >= 0 && x + i < 32) s += lb[j][x + i];
      out[y][x] = s / 9;
    }
  }
}
