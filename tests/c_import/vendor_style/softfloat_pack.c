// all in 0..2000000
typedef unsigned long long float64; typedef int int16; typedef unsigned long long bits64;
static int countLeadingZeros32(unsigned int a) {
  static const int table[16] = {4, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  int shiftCount = 0;
  if (a < 0x10000) { shiftCount += 16; a <<= 16; }
  if (a < 0x1000000) { shiftCount += 8; a <<= 8; }
  if (a < 0x10000000) { shiftCount += 4; a <<= 4; }
  shiftCount += table[a >> 28];
  return shiftCount;
}
static float64 packFloat64(int zSign, int16 zExp, bits64 zSig) { return (((bits64)zSign) << 63) + (((bits64)zExp) << 52) + zSig; }
void int32_to_float64(int a[8], float64 z[8]) {
  for (int i = 0; i < 8; i++) {
    int zSign; unsigned int absA; int shift; bits64 zSig;
    if (a[i] == 0) { z[i] = 0; continue; }
    zSign = (a[i] < 0);
    absA = zSign ? -a[i] : a[i];
    shift = countLeadingZeros32(absA) + 21;
    zSig = absA;
    z[i] = packFloat64(zSign, 0x432 - shift, zSig << (shift & 63));
  }
}
