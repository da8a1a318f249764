/* Data: image_structs in:u1:960 out:u1:960 */
/* Images as structs: sizes and a pointer to the pixels, which functions are handed by address and by value. */
#include <stdint.h>
typedef struct { int w, h; uint8_t *data; } image_t;

static uint8_t pixel(const image_t *image, int r, int c)
{
    if (r < 0) r = 0;
    if (r >= image->h) r = image->h - 1;
    if (c < 0) c = 0;
    if (c >= image->w) c = image->w - 1;
    return image->data[r * image->w + c];
}

static void box(const image_t *src, image_t dst)
{
    for (int r = 0; r < src->h; r++) {
        uint8_t *line = dst.data + r * dst.w;
        for (int c = 0; c < src->w; c++) {
            int sum = 0;
            for (int i = -1; i <= 1; i++)
                for (int j = -1; j <= 1; j++)
                    sum += pixel(src, r + i, c + j);
            line[c] = (uint8_t)(sum / 9);
        }
    }
}

void image_structs(const uint8_t *in, uint8_t *out)
{
    image_t src = {40, 24, (uint8_t *)in};
    image_t dst = src;
    dst.data = out;
    box(&src, dst);
}
