/* Data: sums in:u1:20,30 out:u2:600 half:u1:150 */
#include <stddef.h>
#include <stdint.h>
#define W 30
#define H 20
static inline uint8_t at(const uint8_t *p, unsigned x, unsigned y) { return p[y * W + x]; }
void sums(const uint8_t *in, uint16_t *out, uint8_t *half) {
  const size_t n = W * H;
  size_t i = 0;
  while (i < n) {
    const unsigned y = (unsigned)(i / W), x = (unsigned)i - y * W;
    unsigned s = at(in, x, y);
    if (x) s += at(in, x - 1, y);
    if (y) s += at(in, x, y - 1);
    if (x && y) s += at(in, x - 1, y - 1);
    out[i++] = (uint16_t)s;
  }
  for (uint32_t k = 0; k < n / 4; k++) {
    const uint32_t oy = k / (W / 2), ox = k - oy * (W / 2);
    const uint8_t *p = in + (size_t)2 * oy * W + 2 * ox;
    half[k] = (uint8_t)((p[0] + p[1] + p[W] + p[W + 1] + 2) >> 2);
  }
}
