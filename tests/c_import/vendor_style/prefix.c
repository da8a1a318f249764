#define N 16
void scan(int in[N], int out[N]) {
  int temp[2][N];
  int pout = 0, pin = 1;
  for (int i = 0; i < N; i++) temp[0][i] = i > 0 ? in[i - 1] : 0;
  for (int offset = 1; offset < N; offset *= 2) {
    pout = 1 - pout; pin = 1 - pin;
    for (int i = 0; i < N; i++) {
      if (i >= offset) temp[pout][i] = temp[pin][i] + temp[pin][i - offset];
      else temp[pout][i] = temp[pin][i];
    }
  }
  for (int i = 0; i < N; i++) out[i] = temp[pout][i];
}
