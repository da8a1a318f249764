/* Data: means in:u1:12,10 out:u1:120 */
#include <stdint.h>
void means(const uint8_t in[12][10], uint8_t out[120]) {
  for (int i = 0; i < 120; i++) {
    int y = i / 10, x = i - y * 10;
    out[i] = x > 0 && x < 9 ? (in[y][x - 1] + in[y][x + 1]) / 2 : in[y][x];
  }
}
