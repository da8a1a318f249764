/* Data: f a:i4:10,12 */
#include <string.h>
void f(int a[10][12]) {
  for (int y = 9; y > 0; y--) memcpy(a[y], a[y - 1], sizeof a[0]);
  memset(a[0], 0, sizeof a[0]);
  for (int y = 0; y < 10; y++) memmove(&a[y][1], &a[y][0], sizeof a[y] - sizeof a[y][0]);
}
