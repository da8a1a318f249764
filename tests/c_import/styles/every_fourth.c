/* Data: every_fourth x:i4:203 a:i4:50 b:i4:50 c:i4:50 d:i4:50 e:i4:101 */
void every_fourth(const int x[203], int a[50], int b[50], int c[50], int d[50], int e[101]) {
    int na = 0, nb = 0, nc = 49, nd = 0, ca = 0, cb = 4, cc = 0, cd = 0, ne = 0;
    for (int i = 0; i < 203; i++) {
      if (--cb == 0) { cb = 4; b[nb++] = x[i]; }
      if (++ca >= 4) { a[na] = x[i] * 2; na++; ca = 0; }
      cc = (cc + 1) % 4;
      if (cc == 0 && 1) { c[nc--] = x[i] - 5; }
      if (cd == 3) { d[nd++] = x[i] + 7; }
      cd = (cd + 1) & 3;
      if (i & 1) e[ne++] = x[i];
    }
}
