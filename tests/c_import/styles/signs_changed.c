/* Data: signs_changed x:i1:80 y:i4:80 z:u2:80 */
#include <stdint.h>
static void g(const unsigned char *p, int *q, int16_t *r) { for (int i = 0; i < 80; i++) { q[i] = p[i] * 3; r[i] = -p[i]; q[i] += r[i]; } }
void signs_changed(const int8_t x[80], int32_t y[80], uint16_t z[80]) {
    g((const unsigned char *)x, y, (int16_t *)z);
}
