//===- common.h - What the benchmark programs share -----------------------===//
//
// Arguments, device memory, deterministic inputs, the check and the clock. A program reads
//
//   Bench bench(argc, argv, {defaults...});       // sizes
//   Device<float> x(values), y(count);            // device memory
//   while (bench.next())
//     kernel<<<grid, block>>>(...);               // once, or as often as BENCH_REPEATS says
//   return bench.check(y.host(), [&](size_t i) { return expected; }, tolerance);
//
// It prints PASS or what is wrong. With BENCH_REPEATS=N, N > 1, it times the launches by events and prints their median, the bytes
// that have to move (all device memory once, unless the program says otherwise) and the median of a copy of as many; with
// BENCH_REPEATS=0 it launches nothing, and the check has to fail.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const hipError_t status = (call);                                                              \
    if (status != hipSuccess) {                                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status));          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

/// A number in [-1, 1) that depends on \p i and \p seed alone.
inline float noise(uint64_t i, uint64_t seed = 1) {
  uint64_t x = i + seed * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return float(int32_t((x ^ x >> 31) >> 40) - (1 << 23)) / float(1 << 23);
}

/// \p n values, each made by \p make(i).
template <class T, class Make> std::vector<T> generate(size_t n, Make make) {
  std::vector<T> values(n);
  for (size_t i = 0; i != n; ++i)
    values[i] = T(make(i));
  return values;
}
inline std::vector<float> noiseVector(size_t n, uint64_t seed = 1) {
  return generate<float>(n, [&](size_t i) { return noise(i, seed); });
}

/// Bytes of all device memory.
inline size_t deviceBytes = 0;

/// Device memory of \p n elements.
template <class T> class Device {
public:
  explicit Device(size_t n) : n(n) {
    CHECK(hipMalloc(reinterpret_cast<void **>(&memory), n * sizeof(T)));
    deviceBytes += n * sizeof(T);
  }
  explicit Device(const std::vector<T> &values) : Device(values.size()) {
    CHECK(hipMemcpy(memory, values.data(), n * sizeof(T), hipMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  ~Device() { (void)hipFree(memory); }
  operator T *() const { return memory; }
  std::vector<T> host() const {
    std::vector<T> values(n);
    CHECK(hipMemcpy(values.data(), memory, n * sizeof(T), hipMemcpyDeviceToHost));
    return values;
  }

private:
  T *memory = nullptr;
  size_t n;
};

class Bench {
public:
  Bench(int argc, char **argv, std::initializer_list<long> defaults) : sizes(defaults) {
    for (int i = 1; i < argc && size_t(i) <= sizes.size(); ++i)
      sizes[i - 1] = std::atol(argv[i]);
    for (long size : sizes)
      if (size <= 0) {
        std::fprintf(stderr, "%s: sizes are positive numbers\n", argv[0]);
        std::exit(2);
      }
    if (const char *text = std::getenv("BENCH_REPEATS"))
      repeats = std::max(0, std::atoi(text));
    CHECK(hipEventCreate(&start));
    CHECK(hipEventCreate(&stop));
  }
  ~Bench() {
    (void)hipEventDestroy(start);
    (void)hipEventDestroy(stop);
  }
  /// The size with this number.
  int operator[](size_t i) const { return int(sizes[i]); }

  /// Says what has to move, where that is not all memory once.
  void moves(size_t n) { bytes = n; }

  /// Whether to launch once more. Each launch is timed from here to the next call.
  bool next() {
    if (launches > 0)
      times.push_back(elapsed());
    if (launches == repeats)
      return false;
    ++launches;
    CHECK(hipEventRecord(start, nullptr));
    return true;
  }

  /// Compares with \p expected(i), within \p tolerance relative to the larger of it and \p scale. The exit status of main.
  template <class T, class Expected>
  int check(const std::vector<T> &got, Expected expected, double tolerance = 0, double scale = 1) const {
    size_t wrong = 0;
    for (size_t i = 0; i != got.size(); ++i) {
      const double want = double(expected(i)), is = double(float(got[i]));
      if (std::abs(is - want) <= tolerance * std::max(std::abs(want), scale))
        continue;
      if (wrong++ < 3)
        std::printf("element %zu: %g, not %g\n", i, is, want);
    }
    if (launches > 1) {
      const size_t moved = bytes ? bytes : deviceBytes;
      std::printf("median_us %.3f bytes %zu copy_us %.3f\n", median(times), moved, copyTime(moved / 2));
    }
    std::printf(wrong ? "FAIL: %zu of %zu wrong\n" : "PASS\n", wrong, got.size());
    return wrong != 0;
  }

private:
  /// Microseconds since `start` was recorded.
  float elapsed() const {
    CHECK(hipGetLastError());
    CHECK(hipEventRecord(stop, nullptr));
    CHECK(hipEventSynchronize(stop));
    float ms = 0;
    CHECK(hipEventElapsedTime(&ms, start, stop));
    return ms * 1000;
  }
  /// Of all but the first, which is cold.
  static float median(std::vector<float> all) {
    std::sort(all.begin() + 1, all.end());
    return all[1 + (all.size() - 1) / 2];
  }
  float copyTime(size_t n) const {
    Device<char> from(n), to(n);
    CHECK(hipMemset(from, 1, n));
    std::vector<float> all;
    for (int i = 0; i < repeats; ++i) {
      CHECK(hipEventRecord(start, nullptr));
      CHECK(hipMemcpyAsync(to, from, n, hipMemcpyDeviceToDevice, nullptr));
      all.push_back(elapsed());
    }
    return median(all);
  }

  std::vector<long> sizes;
  size_t bytes = 0;
  int repeats = 1, launches = 0;
  hipEvent_t start, stop;
  std::vector<float> times;
};

/// Workgroups of \p block that cover \p n.
inline unsigned blocksFor(size_t n, size_t block) { return unsigned((n + block - 1) / block); }
