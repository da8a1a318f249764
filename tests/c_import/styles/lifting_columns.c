/* Data: lifting_columns x:i2:16,80 y:i2:16,80 */
#include <stdint.h>
#include <string.h>
static void rows(int16_t *d, int n, int s) { for (int i = 1; i < n - 1; i += 2) d[i * s] -= (d[(i - 1) * s] + d[(i + 1) * s]) >> 1; }
void lifting_columns(const int16_t x[16][80], int16_t y[16][80]) {
    memcpy(y, x, sizeof(int16_t) * 16 * 80);
    for (int r = 0; r < 16; r++) rows(y[r], 80, 1);
    for (int c = 0; c < 80; c++) rows(*y + c, 16, 80);
}
