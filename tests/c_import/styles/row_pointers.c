/* Data: row_pointers image:i2:3,16,80 padded:i4:1476 half:i2:16,80 out:i4:16,80 mean:u4:80 */
/* Pointers that leave the row that they begin in: to an element of an array of rows, and to rows of one of none. */
#include <stdint.h>
#define W 80
#define H 16
#define STRIDE (W + 2)

static void plane(const int16_t *p, int16_t *q, int count)
{
    for (int i = 0; i < count; i++)
        q[i] = (int16_t)(p[i] >> 1);
}

static int line(const int32_t (*rows)[STRIDE], int r, int c)
{
    return rows[r][c] - rows[r + 1][c + 1];
}

void row_pointers(const int16_t image[3][H][W], const int32_t padded[(H + 2) * STRIDE], int16_t half[H][W],
                  int32_t out[H][W], uint32_t mean[W])
{
    plane(&image[1][0][0], &half[0][0], H * W);
    const int32_t *p = padded + STRIDE + 1;
    const int16_t *red = &image[0][0][0], *blue = red + 2 * H * W;
    for (int r = 0; r < H; r++) {
        for (int c = 0; c < W; c++)
            out[r][c] = p[c - STRIDE] + p[c - 1] + 2 * p[c] + p[c + 1] + p[c + STRIDE]
                      + line((const int32_t (*)[STRIDE])padded, r, c) + red[r * W + c] - blue[r * W + c];
        p += STRIDE;
    }
    for (int c = 0; c < W; c++) {
        const int16_t *column = &image[0][0][c];
        uint32_t sum = 0;
        for (int r = 0; r < H; r++, column += W)
            sum += (uint16_t)*column;
        mean[c] = sum / H;
    }
}
