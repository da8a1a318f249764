// all in -1..1
#define T 4
#define N 10
void lms(const float x[N], const float d[N], float e[N], float w[T]) {
  float buf[T] = {0.0f};
  for (int n = 0; n < N; n++) {
    for (int k = T - 1; k > 0; k--) buf[k] = buf[k - 1];
    buf[0] = x[n];
    float y = 0.0f;
    for (int k = 0; k < T; k++) y += w[k] * buf[k];
    e[n] = d[n] - y;
    for (int k = 0; k < T; k++) w[k] += 0.05f * e[n] * buf[k];
  }
}
