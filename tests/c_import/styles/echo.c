/* Data: echo x:f4:300 y:f4:300 */
void echo(const float *x, float *y) {
  float buf[32];
  int head = 31;
  for (int i = 0; i < 32; i++) buf[i] = 1.5f;
  for (int n = 0; n < 300; n++) {
    float d = buf[head];
    buf[head] = x[n] + 0.25f * d;
    head = head ? head - 1 : 31;
    y[n] = x[n] + d;
  }
}
