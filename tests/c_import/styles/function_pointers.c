/* Data: run in:i2:64 out:i2:4,64 sum:i4:4 picture:u1:12,20 eroded:u1:12,20 */
#include <stdint.h>
typedef void (*stage_fn)(const int16_t *src, int16_t *dst, int n);
typedef int (*pred)(int);
static void copy(const int16_t *s, int16_t *d, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }
static void diff(const int16_t *s, int16_t *d, int n) { d[0] = s[0]; for (int i = 1; i < n; i++) d[i] = s[i] - s[i - 1]; }
static void rev(const int16_t *s, int16_t *d, int n) { for (int i = 0; i < n; i++) d[i] = s[n - 1 - i]; }
static int is_odd(int v) { return v & 1; }
static int is_big(int v) { return v > 1000; }
static int count_if(const int16_t *x, int n, int (*p)(int)) { int c = 0; for (int i = 0; i < n; i++) c += (*p)(x[i]) != 0; return c; }
static int twice(const int16_t *x, int n, pred p) { return 2 * count_if(x, n, p); }
#define W 20
#define H 12
static inline uint8_t min_u8(uint8_t a, uint8_t b) { return a < b ? a : b; }
static inline uint8_t max_u8(uint8_t a, uint8_t b) { return a > b ? a : b; }
typedef uint8_t reduce_t(uint8_t, uint8_t);
static void filter3(const uint8_t *src, uint8_t *dst, reduce_t *op) {
  for (int y = 0; y < H; y++) {
    const uint8_t *p = src + y * W;
    for (int x = 0; x < W; x++) {
      uint8_t v = p[x];
      if (x > 0) v = op(v, p[x - 1]);
      if (x < W - 1) v = op(v, p[x + 1]);
      dst[y * W + x] = v;
    }
  }
}
void run(const int16_t *in, int16_t out[4][64], int32_t *sum, const uint8_t *picture, uint8_t *eroded) {
  static const stage_fn stages[] = {copy, diff, rev};
  const stage_fn last = &diff;
  for (int k = 0; k < 3; k++) stages[k](in, out[k], 64);
  last(out[2], out[3], 64);
  sum[0] = count_if(in, 64, is_odd);
  sum[1] = count_if(in, 64, &is_big);
  sum[2] = twice(in, 64, is_odd);
  pred p = is_big;
  sum[3] = p(in[0]) + twice(in, 32, p);
  filter3(picture, eroded, min_u8);
}

