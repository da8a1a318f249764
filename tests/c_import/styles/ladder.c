/* Data: ladder x:f4:200 y:f4:200; s starts with 4 f4 zeros */
void ladder(const float *x, float *y) {
  static float s[4];
  for (int i = 0; i < 200; i++) {
    float in = x[i] - 0.3f * s[3];
    for (int k = 0; k < 4; k++) {
      s[k] += 0.2f * (in - s[k]);
      in = s[k];
    }
    y[i] = in;
  }
}
