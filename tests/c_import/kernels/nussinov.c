#define N 10

/* The most pairs of a chain of bases that can fold. */
void nussinov(int seq[N], int table[N][N])
{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      table[i][j] = 0;
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      table[i][j] = table[i][j] >= table[i][j - 1] ? table[i][j] : table[i][j - 1];
      if (i + 1 < N)
        table[i][j] = table[i][j] >= table[i + 1][j] ? table[i][j] : table[i + 1][j];
      if (i + 1 < N) {
        if (i < j - 1)
          table[i][j] = table[i][j] >= table[i + 1][j - 1] + (seq[i] + seq[j] == 3)
                            ? table[i][j]
                            : table[i + 1][j - 1] + (seq[i] + seq[j] == 3);
        else
          table[i][j] = table[i][j] >= table[i + 1][j - 1] ? table[i][j] : table[i + 1][j - 1];
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = table[i][j] >= table[i][k] + table[k + 1][j] ? table[i][j] : table[i][k] + table[k + 1][j];
    }
#pragma endscop
}
