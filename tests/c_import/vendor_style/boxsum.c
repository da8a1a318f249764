#define N 20
#define R 3
void slide(const int x[N], int y[N - 2 * R]) {
  int s = 0;
  for (int i = 0; i < 2 * R; i++) s += x[i];
  for (int i = 2 * R; i < N; i++) { s += x[i]; y[i - 2 * R] = s; s -= x[i - 2 * R]; }
}
