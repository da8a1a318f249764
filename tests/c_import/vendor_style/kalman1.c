// all in 1..4
void kalman(const double z[12], double est[12], double q, double r) {
  double x = z[0], p = 1.0;
  for (int k = 0; k < 12; ++k) {
    p = p + q;
    double K = p / (p + r);
    x = x + K * (z[k] - x);
    p = (1 - K) * p;
    est[k] = x;
  }
}
