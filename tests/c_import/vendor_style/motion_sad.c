#include <stdint.h>
#include <stdlib.h>
#define B 4
#define S 3
void motion(uint8_t cur[B][B], uint8_t ref[B + 2*S][B + 2*S], int8_t mv[2], uint32_t *best) {
  uint32_t min = 0xFFFFFFFF;
  for (int dy = -S; dy <= S; dy++)
    for (int dx = -S; dx <= S; dx++) {
      uint32_t sad = 0;
      for (int y = 0; y < B; y++) for (int x = 0; x < B; x++) sad += abs(cur[y][x] - ref[y + dy + S][x + dx + S]);
      if (sad < min) { min = sad; mv[0] = dx; mv[1] = dy; }
    }
  *best = min;
}
