/* Data: effects x:i4:100 y:i4:100 z:i4:100 */
/* What && and || and ?: change on one side happens there alone; assignments have values. */
void effects(const int *x, int *y, int *z)
{
  int i, j;
  for (i = 0, j = 99; i < 100; i++, j--) {
    int n = 0, d, v = x[i];
    if (v > 0 && (n++, v > 100) || (n += 2, v < -100))
      n += 10;
    if (v && ++n > 3)
      v += n;
    y[j] = v < -1000 ? -1 : v < 0 ? v / 10 : v < 1000 ? v * 2 : (v -= 7, v);
    if ((d = v - n) < 0)
      d = -d;
    z[i] = v * 16 + d + (n = 4) * 2;
  }
}
