/* Data: row_tables x:u1:1280 a:u1:1280 b:u1:1280 y:u1:1280 z:u1:1280 */
/* Tables of pointers: the lines around a pixel, and planes that a function is handed at once. */
#include <stdint.h>
#define W 80
#define H 16

static void mixed(const uint8_t **planes, uint8_t *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = (planes[0][i] + planes[1][i] * 2 + *(planes[2] + i)) / 4;
}

void row_tables(const uint8_t x[H * W], const uint8_t *a, const uint8_t *b, uint8_t y[H * W], uint8_t *z, void *context,
                int unused)
{
    (void)context;
    (void)unused;
    for (int r = 1; r < H - 1; r++) {
        const uint8_t *rows[3];
        for (int k = 0; k < 3; k++)
            rows[k] = x + (r - 1 + k) * W;
        for (int c = 1; c < W - 1; c++) {
            int sum = 0;
            for (int k = 0; k < 3; k++)
                sum += rows[k][c - 1] + 2 * rows[k][c] + rows[k][c + 1];
            y[r * W + c] = sum / 12;
        }
    }
    const uint8_t *planes[] = {x, a, b};
    mixed(planes, z, H * W);
}
