/* Data: rows a:u1:10,16 flags:i4:10 out:u1:10,16 kept:u1:10,16 turned:u1:160 */
#include <stdint.h>
#define W 16
#define H 10
static int weighted(const uint8_t *p, const uint8_t *q) { return p[0] + 2 * q[0]; }
void rows(const uint8_t a[H][W], const int *flags, uint8_t out[H][W], uint8_t kept[H][W], uint8_t *turned) {
  for (int y = 0; y < H; y++) {
    const uint8_t *up = y ? a[y - 1] : a[y];
    const uint8_t *down = y + 1 < H ? a[y + 1] : a[y];
    const uint8_t *row = flags[y] > 0 ? a[y] : a[H - 1 - y], *other;
    if (flags[y] & 1) other = &a[y][0]; else other = a[0];
    for (int x = 0; x < W; x++) {
      out[y][x] = weighted(up + x, down + x);
      kept[y][x] = row[x] + (flags[y] > 3 ? other : row)[x];
      uint8_t *to = flags[y] & 2 ? turned + y * W : &turned[y * W];
      to[x] = *(x & 1 ? &a[y][x] : a[y] + W - 1 - x) + (a[0] + (y < H - 1 ? y + 1 : y) * W)[x];
    }
  }
}
