// all in -50..50
#define T 8
#define N 24
void fir(const short in[N], const short coef[T], int out[N]) {
  short taps[T];
  for (int t = 0; t < T; t++) taps[t] = 0;
  for (int n = 0; n < N; n++) {
    int acc = 0;
    for (int t = T - 1; t > 0; t--) taps[t] = taps[t - 1];
    taps[0] = in[n];
    for (int t = 0; t < T; t++) acc += taps[t] * coef[t];
    out[n] = acc;
  }
}
