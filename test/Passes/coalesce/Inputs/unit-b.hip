#include "unit.h"

static __global__ void sums(const float *__restrict__ x, float *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 1000;
  for (int c = 0; c < columns; ++c)
    sum += 2 * x[r * columns + c];
  y[r] = sum;
}

template <class T> static __global__ void largest(const T *__restrict__ x, T *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  T most = 0;
  for (int c = 0; c < columns; ++c)
    most = most < 5 * x[r * columns + c] ? 5 * x[r * columns + c] : most;
  y[r] = most;
}

void other(const float *x, float *y, int rows, int columns) {
  sums<<<1, 64>>>(x, y, rows, columns);
  largest<float><<<1, 64>>>(x, y + rows, rows, columns);
}
