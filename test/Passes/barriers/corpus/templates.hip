// Templates: one barrier in source, one verdict over all instantiations, the strictest.
// RUN: %python %S/../verdicts.py hk-opt %s -- %hip-flags -I%runtime-include
#include <hip/hip_runtime.h>

// The classic unrolled tree. In the block of 128 the first step does not exist.
template <int BLOCK>
static __global__ void sum_blocks(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float part[BLOCK];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * BLOCK + t];
  __syncthreads(); // hk: lds-only (256: step 128 reads wavefronts 2 and 3; 128: step 64 reads wavefront 1)
  if (BLOCK >= 256) {
    if (t < 128)
      part[t] += part[t + 128];
    __syncthreads(); // hk: lds-only (step 64 reads what wavefront 1 wrote)
  }
  if (BLOCK >= 128) {
    if (t < 64)
      part[t] += part[t + 64];
    __syncthreads(); // hk: wave-level (only wavefront 0 is left)
  }
  if (t < 32)
    part[t] += part[t + 32];
  __syncthreads(); // hk: wave-level (only wavefront 0 is left)
  if (t == 0) {
    float total = 0.0f;
    for (int k = 0; k < 32; ++k)
      total += part[k];
    out[blockIdx.x] = total;
  }
}

// Partners 1 and 64 items away: the far one decides.
template <int MASK>
static __global__ void exchange_any(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (MASK = 64 crosses wavefronts)
  out[blockIdx.x * 256 + t] = s[t ^ MASK];
}

// Partners 1 and 32 items away.
template <int MASK>
static __global__ void exchange_near(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level (MASK is 1 or 32)
  out[blockIdx.x * 256 + t] = s[t ^ MASK];
}

// Partner 0: the item itself.
template <int MASK>
static __global__ void exchange_none(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: redundant (MASK is 0 only)
  out[blockIdx.x * 256 + t] = s[t ^ MASK];
}

template <int MASK>
static __global__ void exchange_none_or_near(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: wave-level (redundant for MASK = 0, not for MASK = 2)
  out[blockIdx.x * 256 + t] = s[t ^ MASK];
}

template <typename T>
static __global__ void reverse(const T *__restrict__ in, T *__restrict__ out) {
  __shared__ T s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads(); // hk: lds-only (item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[255 - t];
}

// Pointers of one type in one instantiation, of two in the other: only the first may alias.
template <typename A, typename B>
static __global__ void convert_reversed(const A *in, B *out) {
  const int t = threadIdx.x;
  const A v = in[blockIdx.x * 256 + 255 - t];
  __syncthreads(); // hk: needed-alias (with A = B = float, out may be in)
  out[blockIdx.x * 256 + t] = v;
}

template <bool CROSS>
static __global__ void maybe_cross(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  if constexpr (CROSS)
    __syncthreads(); // hk: lds-only (where it exists, item t reads its mirror item)
  out[blockIdx.x * 256 + t] = s[CROSS ? 255 - t : t];
}

// The shape of the block is a parameter: rows of 16 and of 64 items both lie in one wavefront.
template <int X, int Y>
static __global__ void reverse_rows(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[Y][X];
  const int i = (blockIdx.x * Y + threadIdx.y) * X + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[i];
  __syncthreads(); // hk: wave-level (rows of 16 and of 64)
  out[i] = tile[threadIdx.y][X - 1 - threadIdx.x];
}

template <int X, int Y>
static __global__ void reverse_long_rows(const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[Y][X];
  const int i = (blockIdx.x * Y + threadIdx.y) * X + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = in[i];
  __syncthreads(); // hk: lds-only (rows of 128 are two wavefronts)
  out[i] = tile[threadIdx.y][X - 1 - threadIdx.x];
}

// A class template with its own LDS storage.
template <typename T, int N>
class BlockReduce {
public:
  struct Storage {
    T part[N];
  };

  __device__ explicit BlockReduce(Storage &storage) : part(storage.part) {}

  __device__ T sum(T v) {
    const int t = threadIdx.x;
    part[t] = v;
    __syncthreads(); // hk: lds-only (the tree reads other items' values)
    for (int s = N / 2; s > 0; s /= 2) {
      if (t < s)
        part[t] += part[t + s];
      __syncthreads(); // hk: lds-only (the next step, and the result, read other items' sums)
    }
    return part[0];
  }

private:
  T *part;
};

template <typename T, int N>
static __global__ void sum_by_class(const T *__restrict__ in, T *__restrict__ out) {
  __shared__ typename BlockReduce<T, N>::Storage storage;
  const T total = BlockReduce<T, N>(storage).sum(in[blockIdx.x * N + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = total;
}

// Nobody instantiates it.
// hk-insertion: none
template <typename T>
static __global__ void never_instantiated(T *data) {
  data[threadIdx.x] = T();
  __syncthreads(); // hk: any|none
  data[threadIdx.x] += data[blockDim.x - 1 - threadIdx.x];
}

void launch_templates(const float *in, float *out, const double *din, double *dout, const int *iin) {
  sum_blocks<256><<<4, 256>>>(in, out);
  sum_blocks<128><<<4, 128>>>(in, out);
  exchange_any<1><<<4, 256>>>(in, out);
  exchange_any<64><<<4, 256>>>(in, out);
  exchange_near<1><<<4, 256>>>(in, out);
  exchange_near<32><<<4, 256>>>(in, out);
  exchange_none<0><<<4, 256>>>(in, out);
  exchange_none_or_near<0><<<4, 256>>>(in, out);
  exchange_none_or_near<2><<<4, 256>>>(in, out);
  reverse<float><<<4, 256>>>(in, out);
  reverse<double><<<4, 256>>>(din, dout);
  convert_reversed<float, float><<<4, 256>>>(in, out);
  convert_reversed<int, float><<<4, 256>>>(iin, out);
  maybe_cross<true><<<4, 256>>>(in, out);
  maybe_cross<false><<<4, 256>>>(in, out);
  reverse_rows<16, 16><<<4, dim3(16, 16)>>>(in, out);
  reverse_rows<64, 4><<<4, dim3(64, 4)>>>(in, out);
  reverse_long_rows<64, 4><<<4, dim3(64, 4)>>>(in, out);
  reverse_long_rows<128, 2><<<4, dim3(128, 2)>>>(in, out);
  sum_by_class<float, 256><<<4, 256>>>(in, out);
  sum_by_class<double, 128><<<4, 128>>>(din, dout);
}
