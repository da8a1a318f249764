#define SIZE 32
#define RADIX 4
#define BUCKETS 8
static void init(int bucket[BUCKETS]) { for (int i = 0; i < BUCKETS; i++) bucket[i] = 0; }
static void hist(int bucket[BUCKETS], int a[SIZE], int exp) {
  for (int i = 0; i < SIZE; i++) { int at = (a[i] >> exp) & (BUCKETS - 1); bucket[at]++; }
}
static void scan(int bucket[BUCKETS]) { int sum = 0; for (int i = 0; i < BUCKETS; i++) { int t = bucket[i]; bucket[i] = sum; sum += t; } }
static void update(int b[SIZE], int bucket[BUCKETS], int a[SIZE], int exp) {
  for (int i = 0; i < SIZE; i++) { int at = (a[i] >> exp) & (BUCKETS - 1); b[bucket[at]] = a[i]; bucket[at]++; }
}
void ss_sort(int a[SIZE], int b[SIZE], int bucket[BUCKETS]) {
  int exp = 0, valid_buffer = 0;
  for (exp = 0; exp < 6; exp += 3) {
    init(bucket);
    if (valid_buffer == 0) { hist(bucket, a, exp); scan(bucket); update(b, bucket, a, exp); valid_buffer = 1; }
    else { hist(bucket, b, exp); scan(bucket); update(a, bucket, b, exp); valid_buffer = 0; }
  }
}
