// all in 0..32
#include <stdint.h>
#define MX 16
typedef struct { uint8_t x0, y0, z0, x1, y1, z1, x2, y2, z2; } Triangle;
static int edge(int ax, int ay, int bx, int by, int px, int py) { return (px - ax) * (by - ay) - (py - ay) * (bx - ax); }
void render(Triangle tri[3], uint8_t zbuf[MX][MX], uint8_t frame[MX][MX]) {
  for (int t = 0; t < 3; t++) {
    Triangle g = tri[t];
    for (int y = 0; y < MX; y++)
      for (int x = 0; x < MX; x++) {
        int a = edge(g.x0, g.y0, g.x1, g.y1, x, y), b = edge(g.x1, g.y1, g.x2, g.y2, x, y), c = edge(g.x2, g.y2, g.x0, g.y0, x, y);
        if (a >= 0 && b >= 0 && c >= 0) {
          uint8_t z = (g.z0 + g.z1 + g.z2) / 3;
          if (z < zbuf[y][x]) { zbuf[y][x] = z; frame[y][x] = 100 + t; }
        }
      }
  }
}
