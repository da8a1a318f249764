#ifndef ARRAYOL_TIME_H
#define ARRAYOL_TIME_H
typedef long time_t;
typedef long clock_t;
#define CLOCKS_PER_SEC ((clock_t)1000000)
clock_t clock(void);
time_t time(time_t *);
#endif
