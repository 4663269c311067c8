//===- kernels.h - One kernel for each conversion -------------------------===//
//
// For tests that read the instructions: sixteen f32 to words of T as pack<T, O>, a word to floats
// as unpack<T>.
//
//===----------------------------------------------------------------------===//
#include "hk/convert.h"
#include "hk/native_types.h"

using namespace hk;

/// The multiplication is what comes before a conversion in most kernels; it makes signalling NaN
/// quiet.
template <class T, Overflow O> __global__ void pack(const float *in, float scale, uint32_t *out) {
  constexpr int Words = 16 / Element<T>::PerWord;
  float values[16];
  for (int n = 0; n < 16; ++n)
    values[n] = in[threadIdx.x * 16 + n] * scale;
  uint32_t words[Words];
  packVector<T, O>(values, words);
  for (int w = 0; w < Words; ++w)
    out[threadIdx.x * Words + w] = words[w];
}

template <class T> __global__ void unpack(const uint32_t *in, float *out) {
  constexpr int Words = 16 / Element<T>::PerWord;
  for (int w = 0; w < Words; ++w) {
    float values[Element<T>::PerWord];
    unpackFloats<T>(in[threadIdx.x * Words + w], values);
    for (int n = 0; n < Element<T>::PerWord; ++n)
      out[threadIdx.x * 16 + w * Element<T>::PerWord + n] = values[n];
  }
}

#define KERNELS(T)                                                                                 \
  template __global__ void pack<T, Overflow::Saturate>(const float *, float, uint32_t *);          \
  template __global__ void pack<T, Overflow::Special>(const float *, float, uint32_t *);           \
  template __global__ void pack<T, Overflow::InRange>(const float *, float, uint32_t *);           \
  template __global__ void unpack<T>(const uint32_t *, float *);
KERNELS(float)
KERNELS(f16)
KERNELS(bf16)
KERNELS(int8_t)
KERNELS(uint8_t)
KERNELS(int32_t)
KERNELS(e4m3)
KERNELS(e5m2)
KERNELS(e4m3fnuz)
KERNELS(e5m2fnuz)
#undef KERNELS

static_assert(typeOf<__half> == Type::F16 && sizeOf(Type::BF16) == 2, "");
static_assert(Element<TypeFor<Type::E5M2>::type>::PerWord == 4, "");
static_assert(detail::encode<e4m3, Overflow::Special>(1.f) == 0x38, "at compile time");
static_assert(detail::decode<e4m3fnuz>(0x40) == 1.f, "at compile time");
