// Quantizing stores to integers, and integers to and from words, on the device and on the host.
// RUN: %hip-sim-build --offload-arch=gfx90a --offload-arch=gfx950 -I%runtime-include %s -o %t
// RUN: hk-sim --uninitialized --waits %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --uninitialized --waits %t | FileCheck %s
// RUN: hk-sim --arch=gfx950 --uninitialized --waits %t | FileCheck %s
// CHECK: all passed
#include "Inputs/device.h"
#include "Inputs/reference.h"
#include "hk/convert.h"

#include <climits>
#include <limits>

using namespace test;
using namespace hk;

constexpr int PerLane = 16;

/// Like a dynamic scale: the product is rounded to f32 before it is rounded to an integer, also
/// where the compiler could fuse multiplication and conversion.
template <class T>
HK_HOST_DEVICE void packAll(const float *in, float scale, uint32_t *vector, uint32_t *words) {
#if defined(__clang__) && !defined(__HIP_DEVICE_COMPILE__)
#pragma clang fp contract(off)
#endif
  constexpr int PerWord = Element<T>::PerWord;
  float values[PerLane];
  for (int n = 0; n < PerLane; ++n)
    values[n] = in[n] * scale;
  packVector<T>(values, vector);
  for (int w = 0; w < PerLane / PerWord; ++w)
    words[w] = packFloats<T>(&values[w * PerWord]);
}

template <class T>
__global__ void packKernel(const float *in, float scale, uint32_t *vector, uint32_t *words,
                           int lanes) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int Words = PerLane / Element<T>::PerWord;
  if (lane < lanes)
    packAll<T>(in + lane * PerLane, scale, vector + lane * Words, words + lane * Words);
}

/// By definition: the nearest integer, of two the even one, in range; NaN is 0.
template <class T> T expectedOf(float x) {
  if (std::isnan(x))
    return 0;
  const double down = std::floor(double(x)), rest = double(x) - down;
  double nearest = rest < 0.5                ? down
                   : rest > 0.5              ? down + 1
                   : std::fmod(down, 2) == 0 ? down
                                             : down + 1;
  nearest = std::max(nearest, double(std::numeric_limits<T>::min()));
  return T(std::min(nearest, double(std::numeric_limits<T>::max())));
}

template <class T>
void compare(const std::vector<float> &in, float scale, const std::vector<uint32_t> &words,
             const char *name, const char *form) {
  const T *out = reinterpret_cast<const T *>(words.data());
  int shown = 0;
  for (size_t n = 0; n != in.size(); ++n) {
    volatile float product = in[n] * scale;
    if (out[n] == expectedOf<T>(product))
      continue;
    ++failures;
    if (shown++ < 4)
      std::printf("%s, %s: %.9g became %d\n", name, form, double(product), int(out[n]));
  }
}

template <class T> void testFloats(const char *name, const std::vector<float> &in, float scale) {
  const int lanes = int(in.size()) / PerLane;
  const size_t words = in.size() / Element<T>::PerWord;
  Buffer<float> input(in);
  Buffer<uint32_t> vector(std::vector<uint32_t>(words, 0xA5A5A5A5)), single(vector.host);
  packKernel<T>
      <<<(lanes + 127) / 128, 128>>>(input.device, scale, vector.device, single.device, lanes);
  check(hipGetLastError());
  check(hipDeviceSynchronize());
  compare<T>(in, scale, vector.fetch(), name, "vector");
  compare<T>(in, scale, single.fetch(), name, "word");
  for (int lane = 0; lane < lanes; ++lane)
    packAll<T>(&in[lane * PerLane], scale, &vector.host[lane * (words / lanes)],
               &single.host[lane * (words / lanes)]);
  compare<T>(in, scale, vector.host, name, "vector on the host");
  compare<T>(in, scale, single.host, name, "word on the host");
}

template <class T>
HK_HOST_DEVICE void throughWords(const int32_t *in, uint32_t *word, int32_t *back, float *floats,
                                 int32_t *scalars) {
  constexpr int PerWord = Element<T>::PerWord;
  *word = Element<T>::pack(in);
  Element<T>::unpack(*word, back);
  unpackFloats<T>(*word, floats);
  for (int n = 0; n < PerWord; ++n)
    scalars[n] = Element<T>::toValue(Element<T>::fromValue(in[n]));
}

template <class T>
__global__ void wordsKernel(const int32_t *in, uint32_t *words, int32_t *back, float *floats,
                            int32_t *scalars, int count) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x, at = w * Element<T>::PerWord;
  if (w < count)
    throughWords<T>(in + at, words + w, back + at, floats + at, scalars + at);
}

template <class T> void testIntegers(const char *name) {
  std::vector<int32_t> in;
  for (int n = -700; n != 700; ++n)
    in.push_back(n);
  for (int64_t middle : {int64_t(INT_MIN), int64_t(-65536), int64_t(-32768), int64_t(32768),
                         int64_t(65536), int64_t(INT_MAX)})
    for (int64_t n = middle - 300; n <= middle + 300; ++n)
      in.push_back(int32_t(std::min<int64_t>(std::max<int64_t>(n, INT_MIN), INT_MAX)));
  in.resize(in.size() / 4 * 4);
  const size_t words = in.size() / Element<T>::PerWord;
  Buffer<int32_t> input(in), back(std::vector<int32_t>(in.size(), 77)), scalars(back.host);
  Buffer<uint32_t> packed(std::vector<uint32_t>(words, 77));
  Buffer<float> floats(std::vector<float>(in.size(), 77));
  auto compareAll = [&](const char *form) {
    for (size_t n = 0; n != in.size(); ++n) {
      const int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
      const T expected = T(std::min(std::max(int64_t(in[n]), low), high));
      if (reinterpret_cast<const T *>(packed.host.data())[n] == expected &&
          back.host[n] == expected && floats.host[n] == float(expected) &&
          scalars.host[n] == expected)
        continue;
      if (failures++ < 8)
        std::printf("%s, %s: %d became %d, %d, %g, %d\n", name, form, in[n],
                    int(reinterpret_cast<const T *>(packed.host.data())[n]), back.host[n],
                    double(floats.host[n]), scalars.host[n]);
    }
  };
  wordsKernel<T><<<(words + 127) / 128, 128>>>(input.device, packed.device, back.device,
                                               floats.device, scalars.device, words);
  check(hipGetLastError());
  check(hipDeviceSynchronize());
  packed.fetch(), back.fetch(), floats.fetch(), scalars.fetch();
  compareAll("device");
  for (size_t w = 0; w != words; ++w) {
    const size_t at = w * Element<T>::PerWord;
    throughWords<T>(&in[at], &packed.host[w], &back.host[at], &floats.host[at], &scalars.host[at]);
  }
  compareAll("host");
}

int main() {
  std::vector<float> in, special;
  // In range of the 8-bit types first: there the wavefronts have nothing that needs care.
  for (int half = 0; half != 2 * 255; ++half)
    for (float near :
         {0.5f * half, std::nextafterf(0.5f * half, -1), std::nextafterf(0.5f * half, 300)})
      in.push_back(near);
  for (int half = -255; half != 255; ++half)
    for (float near :
         {0.5f * half, std::nextafterf(0.5f * half, -300), std::nextafterf(0.5f * half, 300)})
      in.push_back(near);
  for (int half = -3000; half != 3000; ++half)
    for (float near : {0.5f * half, std::nextafterf(0.5f * half, -INFINITY),
                       std::nextafterf(0.5f * half, INFINITY)})
      in.push_back(near);
  for (int exponent = 8; exponent != 34; ++exponent)
    for (float scale : {1.f, -1.f})
      for (int step = -40; step != 40; ++step)
        in.push_back(scale * (std::ldexp(1.f, exponent) + 0.5f * step));
  for (float end : {2147483648.f, -2147483648.f})
    for (float toward : {0.f, INFINITY, -INFINITY})
      in.push_back(std::nextafterf(end, toward));
  reference::addHalves(in);
  reference::addSpecial(special);
  in.insert(in.end(), special.begin(), special.end());
  reference::addLonely(in, PerLane, 64 * PerLane);
  // 0.1 is no f32: products have to be rounded.
  for (float scale : {1.f, 0.1f, 3.f}) {
    testFloats<int8_t>("i8", in, scale);
    testFloats<uint8_t>("u8", in, scale);
    testFloats<int32_t>("i32", in, scale);
  }
  testIntegers<int8_t>("i8");
  testIntegers<uint8_t>("u8");
  testIntegers<int32_t>("i32");
  return finish();
}
