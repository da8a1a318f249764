/* Data: bands x:f4:96 y:f4:96 q:i4:96 d:i4:96,2 p:i2:8,12,2 r:i2:8,12,2 e:u1:100 o:u1:100 */
/* Const tables of structs whose fields differ, structs that branches return, memcpy of structs, pointers to an end. */
#include <string.h>
typedef struct { int first, end; float gain; unsigned char mode; } band;
typedef struct { int quotient, rest; } division;
typedef struct { short re, im; } pair;
static const band table[] = {{0, 32, 0.5f, 1}, {32, 64, 1.25f}, {.first = 64, .end = 96, .gain = 2.0f, .mode = 2}};
static division divided(int a, int b)
{
  division none = {0, 0}, some;
  if (b == 0)
    return none;
  some.quotient = a / b;
  some.rest = a % b;
  if (some.rest < 0) {
    division moved = {some.quotient - 1, some.rest + b};
    return moved;
  }
  return some;
}
void bands(const float *x, float *y, const int *q, division *d, const pair p[8][12], pair r[8][12],
           const unsigned char *e, unsigned char *o)
{
  const unsigned char *end = e + 100;
  for (unsigned k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
    const band *one = &table[k];
    for (int i = one->first; i < one->end; i++)
      y[i] = one->mode == 1 ? -x[i] : x[i] * one->gain;
  }
  for (int i = 0; i < 96; i++)
    d[i] = divided(q[i], q[i] & 15);
  memset(r, 0, sizeof(pair) * 96);
  for (int i = 1; i < 8; i++)
    memcpy(r[i], p[i - 1], sizeof(r[i]));
  while (e != end) {
    unsigned char v = *e++;
    *o++ = v > 127 ? 255 - v : v;
  }
}
