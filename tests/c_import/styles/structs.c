/* Data: structs x:f4:32,2 w:f4:4,2 y:f4:32,2 */
typedef struct { float re, im; } cplx;
static cplx mul(cplx a, cplx b) {
  cplx c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return c;
}
void structs(const cplx *x, const cplx *w, cplx *y) {
  for (int n = 0; n < 32; n++) {
    cplx sum = {0, 0};
    for (int k = 0; k < 4; k++) {
      cplx p = mul(x[(n + k) % 32], w[k]);
      sum.re += p.re;
      sum.im += p.im;
    }
    y[n] = sum;
  }
}
