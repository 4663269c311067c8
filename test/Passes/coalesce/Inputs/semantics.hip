// Kernels whose rewrites have to get details right. Prints a number for each launch; all sums are of small integers, so that
// their order does not show.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

// Inclusive bound, a step of two, size_t beside int.
__global__ void inclusive(const int *x, int *y, int rows, size_t pitch, int last) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int sum = 7;
  for (size_t c = 1; c <= (size_t)last; c += 2)
    sum += x[r * pitch + c];
  y[r] = sum;
}

// Downwards, with an index that also goes down.
__global__ void downwards(const float *x, float *y, int rows, int columns) {
  int r = threadIdx.x + blockDim.x * blockIdx.x;
  if (r < rows)
    for (int c = columns - 1; c > 0; --c)
      y[r * columns + c] = x[r * columns + (columns - 1 - c)] + c;
}

// All kinds of reductions, some from a first value that is not neutral, one of a member, one of an array.
struct Pair {
  int odd, even;
};
__global__ void reductions(const int *x, int *y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int sum = r, product = 2, top = 3, low = 3, both = -1, either = 4, differ = 5;
  Pair pair = {10, 20};
  unsigned char narrow = 250;
  bool all = true, any = false;
  unsigned bins[4] = {1, 2, 3, 4};
  for (int c = 0; c < columns; ++c) {
    const int v = x[r * columns + c];
    sum -= v;
    product *= v % 3 == 0 ? 1 : -1;
    top = max(top, v);
    if (v < low)
      low = v;
    both &= v | 0x55;
    either |= v;
    differ ^= v;
    if (v % 2)
      pair.odd += v;
    else
      ++pair.even;
    narrow += v;
    if (v > 1000)
      all = false;
    if (v == 42)
      any = true;
    bins[v & 3] += 1;
  }
  y[r] = sum * 3 + product * 5 + top * 7 + low * 11 + both * 13 + either * 17 + differ * 19 + pair.odd * 23 + pair.even * 29 +
         narrow * 31 + all * 37 + any * 41 + bins[0] * 43 + bins[1] * 47 + bins[2] * 53 + bins[3] * 59;
}

// The same row is read and written in several loops, and one element by all.
__global__ void in_place(int *x, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += x[r * columns + c];
  const int first = x[r * columns];
  for (int c = 0; c < columns; ++c)
    x[r * columns + c] = x[r * columns + c] * 2 + sum - first;
  x[r * columns] += x[r * columns + columns - 1];
  int again = 0;
  for (int c = 0; c < columns - 1; ++c)
    again += x[r * columns + c + 1];
  x[r * columns] -= again;
}

// A loop of all work-items around one that is shared, with what was written before.
__global__ void prefix(const int *x, int *y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows)
    for (int i = 0; i < columns; ++i) {
      int sum = x[r * columns + i];
      for (int k = 0; k < i; ++k)
        sum += y[r * columns + k] % 5;
      y[r * columns + i] = sum;
    }
}

// May overlap: the launcher has to see it.
__global__ void shifted(const int *from, int *to, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  for (int c = 0; c < columns; ++c)
    to[r * columns + c] = from[r * columns + c] + 1;
}

// 64-bit numbers, and a limit that is taken without sign.
__global__ void wide_numbers(const int *x, int *y, long rows, long columns) {
  const size_t r = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int sum = 0;
  for (long c = 0; c < columns; ++c)
    sum += x[r * columns + c];
  y[r] = sum;
}

// Two conditions end the loop; the share of a work-item follows from the grid.
__global__ void shares(const int *x, int *y, int n, int each) {
  const unsigned workers = gridDim.x * blockDim.x;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  int sum = workers;
  for (int i = first; i < first + each && i < n; i++) {
    if (x[i] < 0)
      continue;
    sum += x[i];
  }
  if (first < n)
    y[first / each] = sum;
}

// Rows of y with the slowest index on x; the grid has more work-items than there are.
__global__ void swapped(const int *x, int *y, int height, int width, int bias) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || column >= width)
    return;
  int value = x[row * width + column] * 2;
  if (column > 0)
    value += x[row * width + column - 1];
  y[row * width + column] = value + bias;
}

// A transpose whose value takes several statements.
__global__ void transposed(const short *x, short *y, int rows, int columns, int only) {
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= columns || r >= rows)
    return;
  short value = x[r * columns + c];
  value = value < 0 ? -value : value;
  if (r != only)
    y[c * rows + r] = (value + 1);
}

// Structs, of which one is only read.
struct Body {
  float x, y, z, mass, charge;
};
__global__ void bodies(const Body *__restrict__ from, Body *__restrict__ to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    to[i].x = from[i].x + from[i].mass;
    to[i].y = from[i].y - from[i].charge;
    to[i].z = from[i].z * 2;
    to[i].mass = from[i].mass;
    to[i].charge = to[i].x;
  }
}

// What stands behind a continue is not stored by all iterations.
__global__ void some_columns(const int *x, int *y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows)
    for (int c = 0; c < columns; ++c) {
      if (x[r * columns + c] % 3)
        continue;
      y[r * columns + c] = x[r * columns + c] * 5;
    }
}

// Few work-items with neighbouring lanes.
__global__ void columns_sum(const int *x, int *y, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  int sum = 1, top = -100;
  for (int r = 0; r < rows; ++r) {
    sum += x[r * columns + c];
    top = max(top, x[r * columns + c]);
  }
  y[c] = sum * 3 + top;
}

// HIP's vectors, by member and as a whole; a constant of the device.
__constant__ int taps[5] = {3, 1, 4, 1, 5};
__global__ void vectors(const int4 *x, int4 *y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int sum = 0;
  for (int c = 0; c < columns; ++c) {
    int4 v = x[r * columns + c];
    v += make_int4(1, 2, 3, taps[c % 5]);
    v.y *= 2;
    sum += v.x - v.w + x[r * columns + c].z + (&x[r * columns + c])->y;
  }
  for (int c = 0; c < columns; ++c) {
    y[r * columns + c] = x[r * columns + c] * 2;
    y[r * columns + c].w = sum;
  }
}

#define CHECK(call)                                                                                                    \
  if ((call) != hipSuccess)                                                                                            \
    return std::printf("%s failed\n", #call), 1

template <class T> struct Memory {
  T *data = nullptr;
  size_t n;
  explicit Memory(size_t n) : n(n) {
    std::vector<T> values(n);
    for (size_t i = 0; i != n; ++i)
      values[i] = T(int(i * 2654435761u >> 20) % 97 - 31);
    (void)hipMalloc((void **)&data, n * sizeof(T));
    (void)hipMemcpy(data, values.data(), n * sizeof(T), hipMemcpyHostToDevice);
  }
  ~Memory() { (void)hipFree(data); }
  operator T *() const { return data; }
  long long sum() const {
    std::vector<T> values(n);
    (void)hipMemcpy(values.data(), data, n * sizeof(T), hipMemcpyDeviceToHost);
    long long result = 0;
    for (size_t i = 0; i != n; ++i)
      result = result * 31 + (long long)(values[i]) % 100003 + (long long)(i);
    return result;
  }
};

static int shown = 0;
#define SHOW(memory) std::printf("%d: %lld\n", ++shown, (memory).sum())

int main() {
  for (int columns : {1, 3, 64, 100, 260, 263}) {
    const int rows = 70;
    Memory<int> x(rows * (columns + 4)), y(rows * (columns + 4));
    inclusive<<<2, 64>>>(x, y, rows, columns + 4, columns);
    SHOW(y);
    Memory<float> f(rows * columns), g(rows * columns);
    downwards<<<3, 32>>>(f, g, rows, columns);
    SHOW(g);
    reductions<<<2, 64>>>(x, y, rows, columns);
    SHOW(y);
    in_place<<<2, 64>>>(x, rows, columns);
    SHOW(x);
    prefix<<<2, 64>>>(x, y, rows, columns);
    SHOW(y);
    shifted<<<2, 64>>>(x, y, rows, columns);
    SHOW(y);
    shifted<<<1, 1>>>(x, x.data + 1, 1, columns); // each element is read behind its neighbour's store
    SHOW(x);
    shifted<<<2, 64>>>(x, x, rows, columns);
    SHOW(x);
    some_columns<<<2, 64>>>(x, y, rows, columns);
    SHOW(y);
    wide_numbers<<<2, 64>>>(x, y, rows, columns);
    SHOW(y);
    wide_numbers<<<1, 64>>>(x, y, -1, columns); // no limit
    SHOW(y);
    shares<<<2, 64>>>(x, y, rows * columns, columns);
    SHOW(y);
    shares<<<2, 64>>>(x, y, rows * columns - 5, columns + 1);
    SHOW(y);
    inclusive<<<dim3(2, 2), 64>>>(x, y, rows, columns + 4, columns); // twice: not in x only
    SHOW(y);
    inclusive<<<2, 64>>>(x, y, 0, columns + 4, columns);
    inclusive<<<2, 64>>>(x, y, -5, columns + 4, columns);
    SHOW(y);
    if (columns % 4 == 0) {
      vectors<<<2, 64>>>((const int4 *)x.data, (int4 *)y.data, rows, columns / 4);
      SHOW(y);
    }
    columns_sum<<<4, 96>>>(x, y, rows, columns);
    SHOW(y);
    columns_sum<<<4, 96>>>(x, y, 0, columns);
    SHOW(y);
  }
  for (int width : {1, 31, 64, 130}) {
    const int height = 66;
    Memory<int> x(height * width), y(height * width);
    swapped<<<dim3(5, 17), dim3(16, 8)>>>(x, y, height, width, 3);
    SHOW(y);
    swapped<<<dim3(1, 2), dim3(8, 4)>>>(x, y, height, width, 4); // does not cover it
    SHOW(y);
  }
  for (int columns : {520, 600}) {
    const int rows = 530;
    Memory<short> x(rows * columns), y(rows * columns);
    transposed<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(x, y, rows, columns, 7);
    SHOW(y);
    transposed<<<dim3(2, 3), dim3(16, 16)>>>(x, y, rows, columns, 8);
    SHOW(y);
  }
  for (int n : {1, 64, 300, 1000}) {
    Memory<float> x(n * 5), y(n * 5);
    bodies<<<(n + 127) / 128, 128>>>((const Body *)x.data, (Body *)y.data, n);
    SHOW(y);
  }
  CHECK(hipDeviceSynchronize());
}
