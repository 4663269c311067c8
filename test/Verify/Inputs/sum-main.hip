
#include <cstdio>

int main() {
  float *in, *out, host[1024];
  int *counts;
  for (int i = 0; i < 1024; ++i)
    host[i] = float(i % 37) / 3;
  (void)hipMalloc(&in, sizeof host);
  (void)hipMalloc(&out, 256 * sizeof(float));
  (void)hipMalloc(&counts, 256 * sizeof(int));
  (void)hipMemset(out, 0, 256 * sizeof(float));
  (void)hipMemset(counts, 0, 256 * sizeof(int));
  (void)hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice);
  for (int i = 0; i < 2; ++i)
    sum<<<4, 256>>>(out, in, counts);
  // Deviations go on into what is computed from them.
  twice<<<1, 256>>>(out);
  (void)hipMemcpy(host, out, 4 * sizeof(float), hipMemcpyDeviceToHost);
  std::printf("%.9g %.9g %.9g %.9g\n", host[0], host[1], host[2], host[3]);
  return 0;
}
