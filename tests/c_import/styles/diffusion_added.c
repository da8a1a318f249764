/* Data: f a:i4:9,8 b:i4:9,8 */
void f(int a[9][8], int b[9][8]) {
  for (int y = 0; y < 9; y++)
    for (int x = 0; x <= y && x < 8; x++) {
      int e = a[y][x];
      if (x + 2 < 8) b[y][x+2] += e;
      if (y + 1 < 9 && x >= 1) a[y+1][x-1] += e / 4;
      if (y + 1 < 9 && x + 1 < 8) a[y+1][x+1] += e;
      b[y][x] = e;
    }
}
