// all in -1..1
#define IN 6
#define HID 5
#define OUTS 3
static void rectify(double act[HID], double d[HID], int size) {
  int i;
  for (i = 0; i < size; i++) { d[i] = act[i] * (1.0 - act[i]); act[i] = act[i] > 0.0 ? act[i] : 0.1 * act[i]; }
}
static void product(double *w, double *in, double *act, double *bias, int n, int m) {
  for (int j = 0; j < n; j++) {
    act[j] = 0;
    for (int i = 0; i < m; i++) act[j] += w[j * m + i] * in[i];
    act[j] = act[j] + bias[j];
  }
}
void forward(double w1[IN*HID], double w2[HID*HID], double w3[HID*OUTS], double b1[HID], double b2[HID], double b3[OUTS], double x[IN], double target[OUTS], double error[OUTS]) {
  double a1[HID], a2[HID], a3[OUTS], d1[HID], d2[HID];
  product(w1, x, a1, b1, HID, IN);
  rectify(a1, d1, HID);
  product(w2, a1, a2, b2, HID, HID);
  rectify(a2, d2, HID);
  product(w3, a2, a3, b3, OUTS, HID);
  for (int i = 0; i < OUTS; i++) error[i] = (target[i] - a3[i]) * -1.0;
  for (int i = 0; i < HID; i++) for (int j = 0; j < OUTS; j++) w3[i * OUTS + j] -= a2[i] * error[j] * 0.01;
}
