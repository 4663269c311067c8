#include "unit.h"

#include <cstdio>
#include <vector>

static __global__ void sums(const float *__restrict__ x, float *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += x[r * columns + c];
  y[r] = sum;
}

template <class T> static __global__ void largest(const T *__restrict__ x, T *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  T most = x[r * columns];
  for (int c = 1; c < columns; ++c)
    most = most < x[r * columns + c] ? x[r * columns + c] : most;
  y[r] = most;
}

int main() {
  const int rows = 64, columns = 256;
  std::vector<float> ones(rows * columns, 1.0f);
  float *x = nullptr, *y = nullptr, own[2] = {0, 0}, theirs[2] = {0, 0};
  if (hipMalloc((void **)&x, ones.size() * 4) || hipMalloc((void **)&y, 2 * rows * 4) ||
      hipMemcpy(x, ones.data(), ones.size() * 4, hipMemcpyHostToDevice))
    return 1;
  sums<<<1, 64>>>(x, y, rows, columns);
  largest<float><<<1, 64>>>(x, y + rows, rows, columns);
  if (hipMemcpy(&own[0], y, 4, hipMemcpyDeviceToHost) || hipMemcpy(&own[1], y + rows, 4, hipMemcpyDeviceToHost))
    return 1;
  other(x, y, rows, columns);
  if (hipMemcpy(&theirs[0], y, 4, hipMemcpyDeviceToHost) || hipMemcpy(&theirs[1], y + rows, 4, hipMemcpyDeviceToHost))
    return 1;
  std::printf("%g %g, %g %g\n", own[0], own[1], theirs[0], theirs[1]);
}
