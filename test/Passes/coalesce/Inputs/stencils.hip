// Stencils whose windows have to get details right: which elements may be loaded, offsets, pitches, types, tiles that stand over
// an end. Memory is exactly as large as what is read. Prints a number for each launch.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

// Borders are left out; the corners of x are never read. Numbers without sign, a pitch, lanes along x already.
__global__ void five_point(const int *x, int *y, unsigned rows, unsigned columns, size_t pitch) {
  const unsigned r = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r + 2 < rows && c + 2 < columns) {
    const int *at = x + (r + 1) * pitch + c;
    y[r * columns + c] = 5 * at[1] - at[0] - at[2] - x[r * pitch + c + 1] - x[(r + 2) * pitch + c + 1];
  }
}

// Rows on x, bytes, an offset of the work-item's number, borders by the rest of the conditions.
__global__ void sharpen(const uint8_t *in, uint8_t *out, int height, int width) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  const int c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= height || c >= width)
    return;
  int sum = 4 * in[r * width + c];
  sum -= r > 0 ? in[(r - 1) * width + c] : 0;
  sum -= r < height - 1 ? in[(r + 1) * width + c] : 0;
  if (c != 0)
    sum -= in[r * width + c - 1];
  if (!(c == width - 1))
    sum -= in[r * width + c + 1];
  out[r * width + c] = sum;
}

// The radius is a parameter, so is where the filter starts; zeros outside.
__global__ void blur(const float *image, const float *filter, float *out, int height, int width, int radius) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || col >= width)
    return;
  float sum = 0.f;
  for (int ky = 0; ky <= 2 * radius; ++ky)
    for (int kx = 2 * radius; kx >= 0; kx--) {
      const int y = row + ky - radius, x = col + kx - radius;
      if (0 <= y && y < height && x >= 0 && !(x >= width))
        sum += image[y * width + x] * filter[ky * (2 * radius + 1) + kx];
    }
  out[row * width + col] = sum;
}

// Three slices, of which a window has one; the first and the last row are left out.
__global__ void heat(const short *in, short *out, int nz, int ny, int nx) {
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (z < 1 || z >= nz - 1 || y < 1 || y >= ny - 1 || !(x >= 1 && x < nx - 1))
    return;
  const short *at = in + ((z * ny) + y) * nx + x;
  const int i = (z * ny + y) * nx + x;
  out[i] = at[0] * 3 + in[i - 1] + in[i + 1] + in[i - nx] * 5 + in[i + nx] + in[i - nx - 1] + in[i + nx + 1] + in[i - ny * nx] +
           in[i + ny * nx] * 7;
}

// A line, asymmetric, also with a loop whose bounds are numbers.
__global__ void line(const double *x, double *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 3 || i > n - 6)
    return;
  double sum = x[i - 3] * 2;
  for (int k = -1; k < 6; ++k)
    sum += x[i + k] * k;
  y[i] = sum;
}

// Three bytes for each work-item go out by way of LDS; lanes along y.
__global__ void edges(const uint8_t *in, uint8_t *rgb, int height, int width) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= height || c >= width)
    return;
  int across = 0, down = 0;
  if (c > 0 && c < width - 1)
    across = in[r * width + c + 1] - in[r * width + c - 1];
  if (r > 0 && r < height - 1)
    down = in[(r + 1) * width + c] - in[(r - 1) * width + c];
  rgb[(r * width + c) * 3] = in[r * width + c];
  rgb[(r * width + c) * 3 + 2] = across;
  rgb[(r * width + c) * 3 + 1] = down;
}

// More elements a work-item than LDS holds for a tile.
__global__ void patches(const float *in, float *out, int height, int width) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= height - 4 || c >= width - 4)
    return;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      out[(r * width + c) * 25 + i * 5 + j] = in[(r + i) * width + c + j];
}

// Two arrays have windows.
__global__ void two(const float *a, const float *b, float *out, int rows, int columns) {
  const int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows - 2 || c >= columns - 2)
    return;
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sum += a[(r + i) * columns + c + j] * b[(r + 2 - i) * columns + c + 2 - j];
  out[r * columns + c] = sum;
}

#define CHECK(call)                                                                                                            \
  if (hipError_t e = call; e != hipSuccess)                                                                                    \
  printf(#call ": %s\n", hipGetErrorString(e))

// Exactly \p n elements, which are small whole numbers.
template <class T> struct Memory {
  T *data;
  size_t n;
  explicit Memory(size_t n, unsigned seed = 1) : n(n) {
    CHECK(hipMalloc((void **)&data, n * sizeof(T) + !n));
    std::vector<T> values(n);
    for (size_t i = 0; i < n; ++i)
      values[i] = T((i * 2654435761u * seed >> 13) % 7);
    CHECK(hipMemcpy(data, values.data(), n * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Memory() { CHECK(hipFree(data)); }
  void show(const char *name) {
    std::vector<T> values(n);
    CHECK(hipMemcpy(values.data(), data, n * sizeof(T), hipMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum = sum * 31 + (unsigned long long)(long long)values[i];
    printf("%s %llx\n", name, sum);
  }
};
#define SHOW(memory) memory.show(#memory)

int main() {
  for (unsigned columns : {3u, 4u, 63u, 64u, 65u, 130u, 200u})
    for (unsigned rows : {1u, 2u, 3u, 9u}) {
      const size_t pitch = columns + 5;
      // From (0, 1) to (rows - 1, columns - 2), if there is one at all.
      const size_t some = rows >= 3 ? (rows - 1) * pitch + columns - 2 : 0;
      Memory<int> x(some), y(size_t(rows) * columns);
      five_point<<<dim3((columns + 31) / 32, (rows + 3) / 4), dim3(32, 4)>>>(x.data - 1, y.data, rows, columns, pitch);
      SHOW(y);
      five_point<<<dim3(1, 1), dim3(8, 2)>>>(x.data - 1, y.data, rows, columns, pitch); // a corner only
      SHOW(y);
      Memory<uint8_t> in(rows * columns), out(rows * columns);
      sharpen<<<dim3((rows + 7) / 8, (columns + 7) / 8), dim3(8, 8)>>>(in.data, out.data, rows, columns);
      SHOW(out);
      sharpen<<<dim3(1, 1), dim3(2, 8)>>>(in.data, out.data, rows, columns);
      SHOW(out);
      sharpen<<<dim3(1, 1), dim3(8, 8)>>>(in.data, in.data, rows, 1); // the same memory
      Memory<uint8_t> rgb(rows * columns * 3);
      edges<<<dim3((rows + 7) / 8, (columns + 7) / 8), dim3(8, 8)>>>(in.data, rgb.data, rows, columns);
      SHOW(rgb);
      edges<<<dim3(1, 2), dim3(2, 8)>>>(out.data, rgb.data, rows, columns); // a part of them
      SHOW(rgb);
      Memory<float> image(rows * columns), blurred(rows * columns);
      for (int radius : {-1, 0, 1, 2, 9}) {
        Memory<float> filter((2 * radius + 1) * (2 * radius + 1), 3);
        blur<<<dim3((rows + 7) / 8, (columns + 7) / 8), dim3(8, 8)>>>(image.data, filter.data, blurred.data, rows, columns, radius);
        SHOW(blurred);
      }
      Memory<float> taken(rows * columns * 25);
      patches<<<dim3((rows + 7) / 8, (columns + 7) / 8), dim3(8, 8)>>>(image.data, taken.data, rows, columns);
      SHOW(taken);
      Memory<float> b(rows * columns, 5);
      two<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(image.data, b.data, blurred.data, rows, columns);
      SHOW(blurred);
    }
  for (int nx : {3, 30, 66}) {
    const int nz = 5, ny = 7;
    Memory<short> in(nx * ny * nz), out(nx * ny * nz);
    heat<<<dim3((nx + 31) / 32, (ny + 3) / 4, nz), dim3(32, 4, 1)>>>(in.data, out.data, nz, ny, nx);
    SHOW(out);
    heat<<<dim3((nx + 31) / 32, (ny + 3) / 4, 2), dim3(32, 4, 2)>>>(in.data, out.data, nz, 2, nx);
    SHOW(out);
  }
  for (int n : {1, 5, 9, 10, 255, 300, 1100}) {
    Memory<double> x(n), y(n);
    line<<<(n + 31) / 32, 32>>>(x.data, y.data, n);
    SHOW(y);
    line<<<1, 32>>>(x.data, y.data, n);
    SHOW(y);
  }
  { // enough for large tiles
    const int rows = 1030, columns = 2060;
    Memory<int> x(rows * columns), y(rows * columns);
    five_point<<<dim3(65, 258), dim3(32, 4)>>>(x.data, y.data, rows, columns, columns);
    SHOW(y);
    Memory<double> a(1100000), b(1100000);
    line<<<1100000 / 32 + 1, 32>>>(a.data, b.data, 1100000);
    SHOW(b);
  }
  CHECK(hipDeviceSynchronize());
}
