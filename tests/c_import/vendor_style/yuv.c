#include <stdint.h>
#define CLIP(x) ((x) > 255 ? 255 : (x) < 0 ? 0 : (x))
typedef struct { uint8_t r, g, b; } rgb_t;
typedef struct { uint8_t y, u, v; } yuv_t;
static rgb_t convert(yuv_t in) {
  rgb_t out;
  int c = in.y - 16, d = in.u - 128, e = in.v - 128;
  out.r = CLIP((298 * c + 409 * e + 128) >> 8);
  out.g = CLIP((298 * c - 100 * d - 208 * e + 128) >> 8);
  out.b = CLIP((298 * c + 516 * d + 128) >> 8);
  return out;
}
void frame(const yuv_t in[24], rgb_t out[24]) { for (unsigned i = 0; i < 24u; i++) out[i] = convert(in[i]); }
