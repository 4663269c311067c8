// Three kernels as people write them, each with more barriers than it needs:
//
//   block_sum        sums a vector, one partial sum a block
//   rmsnorm          scales each row of a matrix by the reciprocal of its root mean square
//   shift_history    moves each row of a matrix on by some places, in place
//
//   hk-opt rewrite examples/block_reduce.hip
//
// says which barriers are redundant, which are needed inside one wavefront only, which order LDS
// but no global memory, and which have to stay as they are. The program checks its own results.

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const hipError_t status = (call);                                                              \
    if (status != hipSuccess) {                                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status));          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

constexpr int kBlock = 256;

static __global__ void block_sum(const float *__restrict__ in, float *__restrict__ partial, int n) {
  __shared__ float sums[kBlock];
  const int tid = threadIdx.x;

  float acc = 0.0f;
  for (int i = blockIdx.x * kBlock + tid; i < n; i += gridDim.x * kBlock)
    acc += in[i];
  sums[tid] = acc;
  __syncthreads();

  if (tid < 128)
    sums[tid] += sums[tid + 128];
  __syncthreads();
  if (tid < 64)
    sums[tid] += sums[tid + 64];
  __syncthreads();
  if (tid < 32)
    sums[tid] += sums[tid + 32];
  __syncthreads();
  if (tid < 16)
    sums[tid] += sums[tid + 16];
  __syncthreads();
  if (tid < 8)
    sums[tid] += sums[tid + 8];
  __syncthreads();
  if (tid < 4)
    sums[tid] += sums[tid + 4];
  __syncthreads();
  if (tid < 2)
    sums[tid] += sums[tid + 2];
  __syncthreads();
  if (tid == 0)
    partial[blockIdx.x] = sums[0] + sums[1];
  __syncthreads();
}

// One block a row. The row waits in LDS while its sum of squares is formed.
constexpr int kHidden = 1024;

static __global__ void rmsnorm(const float *__restrict__ x, const float *__restrict__ gain,
                               float *__restrict__ y, float epsilon) {
  __shared__ float row[kHidden];
  __shared__ float wave_sums[kBlock / 64];
  __shared__ float scale;
  const int tid = threadIdx.x;
  const int lane = tid % 64, wave = tid / 64;

  float squares = 0.0f;
  for (int k = 0; k < kHidden / kBlock; ++k) {
    const float v = x[blockIdx.x * kHidden + k * kBlock + tid];
    row[k * kBlock + tid] = v;
    squares += v * v;
  }
  __syncthreads();

  for (int d = 32; d > 0; d /= 2)
    squares += __shfl_xor(squares, d);
  if (lane == 0)
    wave_sums[wave] = squares;
  __syncthreads();

  if (tid == 0) {
    float total = 0.0f;
    for (int w = 0; w < kBlock / 64; ++w)
      total += wave_sums[w];
    scale = rsqrtf(total / kHidden + epsilon);
  }
  __syncthreads();

  for (int k = 0; k < kHidden / kBlock; ++k) {
    const int j = k * kBlock + tid;
    y[blockIdx.x * kHidden + j] = row[j] * scale * gain[j];
  }
}

// Every element is read by one work-item and overwritten by another.
static __global__ void shift_history(float *history, int by) {
  const int tid = threadIdx.x;
  float *row = history + blockIdx.x * kBlock;
  const float v = row[tid];
  __syncthreads();
  row[(tid + by) % kBlock] = v;
}

static float *to_device(const std::vector<float> &host) {
  float *device = nullptr;
  CHECK(hipMalloc(&device, host.size() * sizeof(float)));
  CHECK(hipMemcpy(device, host.data(), host.size() * sizeof(float), hipMemcpyHostToDevice));
  return device;
}

static void to_host(std::vector<float> &host, const float *device) {
  CHECK(hipMemcpy(host.data(), device, host.size() * sizeof(float), hipMemcpyDeviceToHost));
}

static bool close(float a, double b) { return std::fabs(a - b) <= 1e-4 * (1.0 + std::fabs(b)); }

static bool test_block_sum() {
  constexpr int kBlocks = 8, n = 10000;
  std::vector<float> in(n), partial(kBlocks);
  double want = 0.0;
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<float>(i % 17) / 16.0f;
    want += in[i];
  }
  float *d_in = to_device(in), *d_partial = to_device(partial);
  block_sum<<<kBlocks, kBlock>>>(d_in, d_partial, n);
  CHECK(hipGetLastError());
  to_host(partial, d_partial);
  double got = 0.0;
  for (float p : partial)
    got += p;
  CHECK(hipFree(d_in));
  CHECK(hipFree(d_partial));
  return close(static_cast<float>(got), want);
}

static bool test_rmsnorm() {
  constexpr int kRows = 4;
  constexpr float kEpsilon = 1e-5f;
  std::vector<float> x(kRows * kHidden), gain(kHidden), y(x.size());
  for (int i = 0; i < kRows * kHidden; ++i)
    x[i] = static_cast<float>((i * 37) % 101 - 50) / 25.0f;
  for (int j = 0; j < kHidden; ++j)
    gain[j] = 1.0f + static_cast<float>(j % 5) / 8.0f;
  float *d_x = to_device(x), *d_gain = to_device(gain), *d_y = to_device(y);
  rmsnorm<<<kRows, kBlock>>>(d_x, d_gain, d_y, kEpsilon);
  CHECK(hipGetLastError());
  to_host(y, d_y);
  bool good = true;
  for (int r = 0; r < kRows; ++r) {
    double squares = 0.0;
    for (int j = 0; j < kHidden; ++j)
      squares += static_cast<double>(x[r * kHidden + j]) * x[r * kHidden + j];
    const double scale = 1.0 / std::sqrt(squares / kHidden + kEpsilon);
    for (int j = 0; j < kHidden; ++j)
      good = good && close(y[r * kHidden + j], x[r * kHidden + j] * scale * gain[j]);
  }
  CHECK(hipFree(d_x));
  CHECK(hipFree(d_gain));
  CHECK(hipFree(d_y));
  return good;
}

static bool test_shift_history() {
  constexpr int kRows = 3, kBy = 5;
  std::vector<float> history(kRows * kBlock);
  for (int i = 0; i < kRows * kBlock; ++i)
    history[i] = static_cast<float>(i);
  float *d_history = to_device(history);
  shift_history<<<kRows, kBlock>>>(d_history, kBy);
  CHECK(hipGetLastError());
  to_host(history, d_history);
  bool good = true;
  for (int r = 0; r < kRows; ++r)
    for (int j = 0; j < kBlock; ++j)
      good = good && history[r * kBlock + (j + kBy) % kBlock] == static_cast<float>(r * kBlock + j);
  CHECK(hipFree(d_history));
  return good;
}

int main() {
  int failures = 0;
  const auto report = [&](const char *name, bool good) {
    std::printf("%-14s %s\n", name, good ? "ok" : "WRONG");
    failures += !good;
  };
  report("block_sum", test_block_sum());
  report("rmsnorm", test_rmsnorm());
  report("shift_history", test_shift_history());
  std::printf("%s\n", failures == 0 ? "PASS" : "FAIL");
  return failures == 0 ? 0 : 1;
}
