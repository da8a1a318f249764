// all in -5..5
#define FFT 16
void fft(double real[FFT], double img[FFT], double rtw[FFT/2], double itw[FFT/2]) {
  int even, odd, span, log, rootindex;
  double temp;
  log = 0;
  outer: for (span = FFT >> 1; span; span >>= 1, log++) {
    inner: for (odd = span; odd < FFT; odd++) {
      odd |= span;
      even = odd ^ span;
      temp = real[even] + real[odd];
      real[odd] = real[even] - real[odd];
      real[even] = temp;
      temp = img[even] + img[odd];
      img[odd] = img[even] - img[odd];
      img[even] = temp;
      rootindex = (even << log) & (FFT - 1);
      if (rootindex) {
        temp = rtw[rootindex] * real[odd] - itw[rootindex] * img[odd];
        img[odd] = rtw[rootindex] * img[odd] + itw[rootindex] * real[odd];
        real[odd] = temp;
      }
    }
  }
}
