/* Data: dither img:u1:80,640 out:u1:80,640 */
#include <stdint.h>
#include <string.h>
#define H 80
#define W 640
void dither(const uint8_t *img, uint8_t *out) {
  int16_t row0[W + 2] = {0}, row1[W + 2] = {0};
  int16_t *cur = row0, *nxt = row1;
  memset(row0, 0, sizeof(row0));
  for (int y = 0; y < H; y++) {
    memset(nxt, 0, sizeof(row0));
    for (int x = 0; x < W; x++) {
      int v = img[y * W + x] + (cur[x + 1] >> 4);
      int q = v > 127 ? 255 : 0;
      int e = v - q;
      out[y * W + x] = q;
      cur[x + 2] += e * 7;
      nxt[x] += e * 3;
      nxt[x + 1] += e * 5;
      nxt[x + 2] += e;
    }
    int16_t *t = cur; cur = nxt; nxt = t;
  }
}
