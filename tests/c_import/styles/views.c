/* A filter whose picture and kernel are handed over in structs, to be read: the kernel stays a table of constants. */
/* Data: blur src:u1:20,30 dst:u1:20,30 */
#include <stdint.h>
typedef struct { int w, h, stride; const uint8_t *p; } view_t;
typedef struct { int k[3]; int shift; } kernel_t;

static void set_middle(int *middle, int value) { *middle = value; }

static int at(const view_t *v, int x, int y)
{
    if (x < 0) x = 0;
    if (x >= v->w) x = v->w - 1;
    if (y < 0) y = 0;
    if (y >= v->h) y = v->h - 1;
    return v->p[y * v->stride + x];
}

static uint8_t filtered(const view_t *v, const kernel_t *k, const int *gain, int x, int y)
{
    int s = 0;
    for (int i = -1; i <= 1; i++) s += k->k[i + 1] * at(v, x + i, y);
    return (uint8_t)(s * gain[1] >> k->shift);
}

void blur(const uint8_t src[20][30], uint8_t dst[20][30])
{
    view_t v = {30, 20, 30, &src[0][0]};
    kernel_t k = {{1, 2, 1}, 5};
    int gain[2] = {1, 1};
    set_middle(gain + 1, 7);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 30; x++) dst[y][x] = filtered(&v, &k, gain, x, y);
}
