#include <stdint.h>
#define SIZE 16
typedef int32_t TYPE;
static void merge(TYPE a[SIZE], int start, int m, int stop) {
  TYPE temp[SIZE];
  int i, j, k;
  for (i = start; i <= m; i++) temp[i] = a[i];
  for (j = m + 1; j <= stop; j++) temp[m + 1 + stop - j] = a[j];
  i = start; j = stop;
  for (k = start; k <= stop; k++) {
    TYPE tj = temp[j], ti = temp[i];
    if (tj < ti) { a[k] = tj; j--; } else { a[k] = ti; i++; }
  }
}
void ms_mergesort(TYPE a[SIZE]) {
  int start, stop, i, m, from, mid, to;
  start = 0; stop = SIZE;
  for (m = 1; m < stop - start; m += m) {
    for (i = start; i < stop; i += m + m) {
      from = i; mid = i + m - 1; to = i + m + m - 1;
      if (to < stop) merge(a, from, mid, to); else merge(a, from, mid, stop - 1);
    }
  }
}
