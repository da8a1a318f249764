/* Data: blur in:u1:14,20 out:u1:14,20 */
#include <stdint.h>
static inline const uint8_t *row(const uint8_t *p, int y) { return p + y * 20; }
static inline uint8_t *px(uint8_t *p, int y, int x) { return &p[y * 20 + x]; }
static const uint8_t *crow(const uint8_t *p, int y) { if (y < 0) return row(p, 0); if (y >= 14) return row(p, 13); return row(p, y); }
void blur(const uint8_t *in, uint8_t *out) {
  for (int y = 0; y < 14; y++) {
    const uint8_t *a = crow(in, y - 1), *b = row(in, y), *c = crow(in, y + 1);
    for (int x = 0; x < 20; x++) { *px(out, y, x) = (a[x] + b[x] + c[x]) / 3; px(out, y, x)[0] ^= row(in, y)[x] & 1; }
  }
}
