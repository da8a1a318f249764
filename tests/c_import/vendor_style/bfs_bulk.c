// all in 0..12
#include <stdint.h>
#define N_NODES 12
#define N_EDGES 24
#define N_LEVELS 4
#define MAX_LEVEL 127
typedef struct { int begin; int end; } node_t;
void bfs(node_t nodes[N_NODES], int edges[N_EDGES], int start, int8_t level[N_NODES], int level_counts[N_LEVELS]) {
  int n, e, cnt; int horizon;
  level[start] = 0;
  level_counts[0] = 1;
  for (horizon = 0; horizon < N_LEVELS; horizon++) {
    cnt = 0;
    for (n = 0; n < N_NODES; n++) {
      if (level[n] == horizon) {
        for (e = 0; e < N_EDGES; e++) {
          if (e < nodes[n].begin || e >= nodes[n].end) continue;
          int tmp = edges[e];
          if (level[tmp] == MAX_LEVEL) { level[tmp] = horizon + 1; ++cnt; }
        }
      }
    }
    if (cnt == 0) break;
    if (horizon + 1 < N_LEVELS) level_counts[horizon + 1] = cnt;
  }
}
