//===- tensor.h - Matrices in device memory, with what must stay as it is -===//
#pragma once

#include "elements.h"

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace test {

inline void check(hipError_t error, const char *what) {
  if (error == hipSuccess)
    return;
  std::printf("%s: HIP error %d\n", what, int(error));
  std::exit(2);
}

/// Where the elements of a matrix are: `gap` elements from one row's end to the next row, the first one `offset` elements
/// behind an address that is a multiple of 256.
struct Placement {
  int64_t gap = 0;
  int64_t offset = 0;
};

/// rows x columns in device memory and a copy on the host.
///
/// An input's memory ends with its last element, and only elements were ever written: the simulator faults on any other
/// access. An output's memory is larger and full of a pattern, and untouched() says whether it still is where there are no
/// elements.
class Tensor {
public:
  enum Role { Input, Output };

  Tensor(const ElementType &type, int64_t rows, int64_t columns, Placement at = {}, Role role = Input)
      : type(type), rows(rows), columns(columns), pitch(columns + at.gap), role(role) {
    front = at.offset * type.bytes + (role == Output ? 256 : 0);
    const int64_t elements = rows ? (rows - 1) * pitch + columns : 0;
    host.resize(front + elements * type.bytes + (role == Output ? 256 : 0));
    for (size_t b = 0; b != host.size(); ++b)
      host[b] = poison(b);
    check(hipMalloc(&memory, host.size() ? host.size() : 1), "hipMalloc");
  }
  ~Tensor() { check(hipFree(memory), "hipFree"); }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;

  const ElementType &type;
  const int64_t rows, columns, pitch;

  template <class T = void> T *data() const { return reinterpret_cast<T *>(static_cast<char *>(memory) + front); }

  uint32_t code(int64_t row, int64_t column) const {
    uint32_t c = 0;
    std::memcpy(&c, &host[place(row, column)], type.bytes);
    return c;
  }
  double at(int64_t row, int64_t column) const { return type.value(code(row, column)); }
  void set(int64_t row, int64_t column, double value) {
    const uint32_t c = type.code(type.rounded(value));
    std::memcpy(&host[place(row, column)], &c, type.bytes);
  }
  /// f(row, column) for each element.
  template <class F> Tensor &fill(F &&f) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        set(r, c, f(r, c));
    return upload();
  }

  Tensor &upload() {
    if (role == Output)
      check(hipMemcpy(memory, host.data(), host.size(), hipMemcpyHostToDevice), "hipMemcpy");
    else if (rows && columns)
      check(hipMemcpy2D(data(), pitch * type.bytes, &host[front], pitch * type.bytes, columns * type.bytes, rows,
                        hipMemcpyHostToDevice),
            "hipMemcpy2D");
    return *this;
  }
  void download() {
    if (role == Output)
      check(hipMemcpy(host.data(), memory, host.size(), hipMemcpyDeviceToHost), "hipMemcpy");
    else if (rows && columns)
      check(hipMemcpy2D(&host[front], pitch * type.bytes, data(), pitch * type.bytes, columns * type.bytes, rows,
                        hipMemcpyDeviceToHost),
            "hipMemcpy2D");
  }
  bool untouched() const {
    for (size_t b = 0; b != host.size(); ++b) {
      const int64_t element = (int64_t(b) - front) / type.bytes;
      const bool guard = !rows || !columns || int64_t(b) < front || element / pitch >= rows || element % pitch >= columns;
      if (guard && host[b] != poison(b))
        return false;
    }
    return true;
  }
  const std::vector<unsigned char> &bytes() const { return host; }

private:
  Role role;
  int64_t front;
  std::vector<unsigned char> host;
  void *memory = nullptr;

  static unsigned char poison(size_t b) { return static_cast<unsigned char>(0xA5 + 29 * b); }
  size_t place(int64_t row, int64_t column) const { return front + (row * pitch + column) * type.bytes; }
};

} // namespace test
