static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void oddeven(int v[10]) {
  for (int p = 0; p < 10; p++)
    for (int i = p % 2; i < 9; i += 2)
      if (v[i] > v[i + 1]) swap(&v[i], &v[i + 1]);
}
