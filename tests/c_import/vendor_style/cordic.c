// theta in -20000..20000
#define ITER 12
typedef int fix_t;
static const fix_t angles[ITER] = {12867, 7596, 4013, 2037, 1022, 511, 255, 127, 63, 31, 15, 7};
void cordic(fix_t theta[8], fix_t s[8], fix_t c[8]) {
  for (int n = 0; n < 8; n++) {
    fix_t x = 9949, y = 0, z = theta[n];
    for (int k = 0; k < ITER; k++) {
      fix_t dx = x >> k, dy = y >> k;
      if (z >= 0) { x -= dy; y += dx; z -= angles[k]; }
      else { x += dy; y -= dx; z += angles[k]; }
    }
    c[n] = x; s[n] = y;
  }
}
