/* Data: chamfer in:u1:2800 d:u2:2800 */
#include <stdint.h>
#define H 70
#define W 40
#define MIN(a,b) ((a)<(b)?(a):(b))
void chamfer(const uint8_t *in, uint16_t *d) {
  for (int i = 0; i < H*W; i++) d[i] = in[i] > 240 ? 0 : 10000;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      uint16_t v = d[y*W+x];
      if (x > 0) v = MIN(v, d[y*W+x-1] + 3);
      if (y > 0) {
        v = MIN(v, d[(y-1)*W+x] + 3);
        if (x > 0) v = MIN(v, d[(y-1)*W+x-1] + 4);
        if (x < W-1) v = MIN(v, d[(y-1)*W+x+1] + 4);
      }
      d[y*W+x] = v;
    }
  for (int y = H-1; y >= 0; y--)
    for (int x = W-1; x >= 0; x--) {
      uint16_t v = d[y*W+x];
      if (x < W-1) v = MIN(v, d[y*W+x+1] + 3);
      if (y < H-1) {
        v = MIN(v, d[(y+1)*W+x] + 3);
        if (x < W-1) v = MIN(v, d[(y+1)*W+x+1] + 4);
        if (x > 0) v = MIN(v, d[(y+1)*W+x-1] + 4);
      }
      d[y*W+x] = v;
    }
}
