/* Data: f x:i4:90 y:i4:90; a starts with 4 i4 zeros */
void f(const int *x, int *y) {
  static int a[4];
  for (int n = 0; n < 90; n++) {
    if (x[n] > 3)
      for (int k = 3; k > 0; k--) a[k] = a[k - 1];
    a[0] = x[n];
    y[n] = a[2];
  }
}
