/* Data: smooth in:u1:6,8,10 out:u1:480 */
#include <stdint.h>
#define D 6
#define H 8
#define W 10
void smooth(const uint8_t in[D][H][W], uint8_t *out) {
  for (int t = 0; t < D * H * W; t++) {
    int z = t / (H * W), rest = t % (H * W), y = rest / W, x = rest % W, sum = 2 * in[z][y][x];
    if (z > 0) sum += in[z - 1][y][x];
    if (x < W - 1) sum += in[z][y][x + 1];
    out[(z * H + y) * W + x] = sum / 4;
  }
}
