/* Data: fir x:i2:200 y:i4:200 h:i2:10 */
#define N 200
#define T 10
void fir(const short x[N], int y[N], const short h[T]) {
  short z[T] = {0};
  unsigned char idx = 0;
  for (int n = 0; n < N; n++) {
    z[idx] = x[n];
    int acc = 0; int p = idx;
    for (int k = 0; k < T; k++) {
      acc += h[k] * z[p];
      if (--p < 0) p = T - 1;
    }
    y[n] = acc >> 4;
    idx++; if (idx == T) idx = 0;
  }
}
