/* Data: edges in:u1:20,36 out:u1:20,36 flags:u1:720 turned:u1:36,20 */
#include <stdint.h>
#include <stdlib.h>
#define W 36
#define H 20
void edges(const uint8_t in[H][W], uint8_t out[H][W], uint8_t *flags, uint8_t turned[W][H]) {
  for (int i = 0; i < W * H; i++) {
    const int y = i / W, x = i % W;
    int left = x > 0 ? in[y][x - 1] : in[y][0], right = x < W - 1 ? in[y][x + 1] : in[y][W - 1];
    out[y][x] = abs(left - right);
    flags[i] = out[y][x] > 40;
  }
  for (unsigned k = 0; k < 720; k++) turned[k % W][k / W] = in[k / W][W - 1 - k % W];
}
