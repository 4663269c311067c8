#include <hip/hip_runtime.h>

template <typename T, int K>
__global__ void scaled(const T *__restrict__ x, T *__restrict__ y, unsigned rows, unsigned columns) {
  const unsigned r = threadIdx.x + blockIdx.x * blockDim.x;
  if (r < rows)
    for (unsigned c = 0; c < columns; ++c)
      if (x[r * columns + c] > T(0))
        y[r * columns + c] = x[r * columns + c] * T(K);
}

namespace images {
__global__ void flip(const float *x, float *y, int height, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
  if (row < height)
    y[row * width + column] = x[row * width + width - 1 - column];
}
} // namespace images

#define LAUNCH(kernel, ...) hipLaunchKernelGGL(kernel, dim3(2, 100), dim3(64), 0, 0, __VA_ARGS__)
#define WIDTH 100

void run(const float *x, float *y, const double *u, double *v, hipStream_t stream) {
  scaled<float, 3><<<4, 64>>>(x, y, 200u, 1000u);
  if (x != y)
    scaled<double, 5><<<dim3(4), 64, 0, stream>>>(u, v, 200u, 1000u);
  images::flip<<<dim3(2, 100), dim3(64)>>>(x, y, 100, 100);
  hipLaunchKernelGGL(images::flip, dim3(2, 100), 64, 0, hipStreamPerThread, x, y,
                     (100), WIDTH);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(scaled<float, 3>), dim3(4), dim3(64), 0, stream, x, y, 200u, 1000u);
  LAUNCH(images::flip, x, y, 100, 100);
}
