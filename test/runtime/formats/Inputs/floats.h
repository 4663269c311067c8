//===- floats.h - All conversions of one floating point type --------------===//
#pragma once

#include "device.h"
#include "hk/convert.h"
#include "reference.h"

#include <cstring>

namespace test {

using namespace hk;

constexpr int PerLane = 16;

/// PerLane floats of one lane in every form: as a vector, word by word, one by one.
template <class T, Overflow O>
HK_HOST_DEVICE void packAll(const float *in, uint32_t *vector, uint32_t *words, T *scalars) {
  constexpr int PerWord = Element<T>::PerWord;
  float values[PerLane];
  for (int n = 0; n < PerLane; ++n)
    values[n] = in[n];
  packVector<T, O>(values, vector);
  for (int w = 0; w < PerLane / PerWord; ++w)
    words[w] = w % 2 ? packFloats<T, O>(&values[w * PerWord])
                     : Element<T>::template pack<O>(&values[w * PerWord]);
  for (int n = 0; n < PerLane; ++n)
    scalars[n] = Element<T>::template fromValue<O>(values[n]);
}

template <class T, Overflow O>
__global__ void packKernel(const float *in, uint32_t *vector, uint32_t *words, T *scalars,
                           int lanes) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int Words = PerLane / Element<T>::PerWord;
  if (lane < lanes)
    packAll<T, O>(in + lane * PerLane, vector + lane * Words, words + lane * Words,
                  scalars + lane * PerLane);
}

template <class T>
__global__ void unpackKernel(const uint32_t *in, float *packed, float *floats, float *scalars,
                             int words) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int PerWord = Element<T>::PerWord;
  if (w >= words)
    return;
  Element<T>::unpack(in[w], packed + w * PerWord);
  unpackFloats<T>(in[w], floats + w * PerWord);
  for (int n = 0; n < PerWord; ++n)
    scalars[w * PerWord + n] =
        Element<T>::toValue(reinterpret_cast<const T *>(in)[w * PerWord + n]);
}

template <class T>
void compare(const reference::Rounding &rounding, Overflow overflow, const std::vector<float> &in,
             const T *codes, const char *name, const char *form) {
  int shown = 0;
  for (size_t n = 0; n != in.size(); ++n) {
    const uint32_t code = codes[n].bits;
    const bool either = overflow == Overflow::InRange && !rounding.inRange(in[n]);
    if (rounding.accepts(in[n], code, overflow != Overflow::Special) ||
        (either && rounding.accepts(in[n], code, false)))
      continue;
    ++failures;
    uint32_t bits;
    std::memcpy(&bits, &in[n], 4);
    if (shown++ < 4)
      std::printf("%s, %s, overflow %d: %.9g (0x%08X) became 0x%X\n", name, form, int(overflow),
                  double(in[n]), bits, code);
  }
}

template <class T, Overflow O>
void testPack(const reference::Rounding &rounding, const std::vector<float> &in, const char *name) {
  const int lanes = int(in.size()) / PerLane;
  const size_t words = in.size() / Element<T>::PerWord;
  Buffer<float> input(in);
  Buffer<uint32_t> vector(std::vector<uint32_t>(words, 0xA5A5A5A5)), single(vector.host);
  Buffer<T> scalars(std::vector<T>(in.size(), T{0x5A}));
  packKernel<T, O><<<(lanes + 127) / 128, 128>>>(input.device, vector.device, single.device,
                                                 scalars.device, lanes);
  check(hipGetLastError());
  check(hipDeviceSynchronize());
  auto bytes = [](const Buffer<uint32_t> &b) { return reinterpret_cast<const T *>(b.host.data()); };
  vector.fetch(), single.fetch(), scalars.fetch();
  compare<T>(rounding, O, in, bytes(vector), name, "vector");
  compare<T>(rounding, O, in, bytes(single), name, "word");
  compare<T>(rounding, O, in, scalars.host.data(), name, "scalar");
  for (int lane = 0; lane < lanes; ++lane)
    packAll<T, O>(&in[lane * PerLane], &vector.host[lane * (words / lanes)],
                  &single.host[lane * (words / lanes)], &scalars.host[lane * PerLane]);
  compare<T>(rounding, O, in, bytes(vector), name, "vector on the host");
  compare<T>(rounding, O, in, bytes(single), name, "word on the host");
  compare<T>(rounding, O, in, scalars.host.data(), name, "scalar on the host");
}

template <class T> void testUnpack(const reference::Format &format, const char *name) {
  constexpr int PerWord = Element<T>::PerWord;
  std::vector<uint32_t> in(format.codes() / PerWord);
  for (uint32_t code = 0; code != format.codes(); ++code)
    in[code / PerWord] |= code << code % PerWord * (32 / PerWord);
  // Each byte at each place of words of 0x38, with nothing else in the wavefront.
  if (PerWord == 4)
    for (uint32_t code = 0; code != 256; ++code)
      for (int place = 0; place != 32; place += 8)
        in.resize(in.size() + 64, (0x38383838 & ~(0xFFu << place)) | code << place);
  const T *codes = reinterpret_cast<const T *>(in.data());
  const size_t count = in.size() * PerWord;
  Buffer<uint32_t> input(in);
  Buffer<float> packed(std::vector<float>(count, -7)), floats(packed.host), scalars(packed.host);
  unpackKernel<T><<<(in.size() + 127) / 128, 128>>>(input.device, packed.device, floats.device,
                                                    scalars.device, in.size());
  check(hipGetLastError());
  check(hipDeviceSynchronize());
  auto compareAll = [&](const std::vector<float> &out, const char *form) {
    for (size_t n = 0; n != count; ++n) {
      const uint32_t code = codes[n].bits;
      const float expected = float(format.value(code));
      if (std::isnan(expected) ? std::isnan(out[n]) : std::memcmp(&out[n], &expected, 4) == 0)
        continue;
      if (failures++ < 8)
        std::printf("%s, %s: code 0x%X is %.9g and not %.9g\n", name, form, code, double(out[n]),
                    double(expected));
    }
  };
  compareAll(packed.fetch(), "unpack");
  compareAll(floats.fetch(), "unpackFloats");
  compareAll(scalars.fetch(), "toValue");
  for (size_t w = 0; w != in.size(); ++w) {
    Element<T>::unpack(in[w], &packed.host[w * PerWord]);
    unpackFloats<T>(in[w], &floats.host[w * PerWord]);
    for (int n = 0; n < PerWord; ++n)
      scalars.host[w * PerWord + n] = Element<T>::toValue(codes[w * PerWord + n]);
  }
  compareAll(packed.host, "unpack on the host");
  compareAll(floats.host, "unpackFloats on the host");
  compareAll(scalars.host, "toValue on the host");
}

template <class T> void testFormat(const char *name, const reference::Format &format) {
  const reference::Rounding rounding(format);
  if (!rounding.isSorted() || double(Element<T>::Max) != format.spelled(format.largest())) {
    std::printf("%s: the reference or Max is wrong\n", name);
    ++failures;
  }
  std::vector<float> in;
  reference::addBoundaries(in, rounding);
  reference::addHalves(in);
  // Last, apart from the others: the wavefronts before have few numbers that need care.
  std::vector<float> special;
  reference::addSpecial(special);
  in.insert(in.end(), special.begin(), special.end());
  while (in.size() % PerLane)
    in.push_back(1);
  // And all of them mixed, so that each number is in a wavefront with some that need care.
  const size_t all = in.size();
  size_t step = 7919;
  while (all % step == 0)
    step += 2;
  for (size_t n = 0; n != all; ++n)
    in.push_back(n % 4 == 0 ? special[n / 4 % special.size()] : in[n * step % all]);
  reference::addLonely(in, PerLane, 64 * PerLane);
  std::printf("%s: %zu numbers\n", name, in.size());
  testPack<T, Overflow::Saturate>(rounding, in, name);
  testPack<T, Overflow::Special>(rounding, in, name);
  testPack<T, Overflow::InRange>(rounding, in, name);
  testUnpack<T>(format, name);
}

} // namespace test
