//===- Arguments.h - What is looked at before a kernel starts -------------===//
//
// Each function of the interface makes an Arguments, asks it about every argument in the order of
// the interface, and goes on if all were right. The first that is not is told in the message.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Types.h"
#include "hk/launch.h"
#include "hk_kernels.h"

namespace hk::kernels {

/// What the types of a matrix or vector may be: a set of hk_type numbers.
using TypeSet = unsigned;
constexpr TypeSet setOf() { return 0; }
template <class... Rest> constexpr TypeSet setOf(hk_type first, Rest... rest) {
  return 1u << first | setOf(rest...);
}
constexpr TypeSet FloatTypes = setOf(HK_F32, HK_F16, HK_BF16);
constexpr TypeSet ByteTypes = setOf(HK_I8, HK_U8, HK_E4M3, HK_E5M2, HK_E4M3FNUZ, HK_E5M2FNUZ);
constexpr TypeSet QuantizedTypes = setOf(HK_I8, NativeE4M3Type);

/// The type of another operand; or F32, too. Whatever is no type of floats is refused for that
/// operand.
inline TypeSet same(int type) {
  return type >= 0 && type < 32 ? FloatTypes & 1u << type : FloatTypes;
}
inline TypeSet sameOrFloat(int type) { return same(type) | setOf(HK_F32); }

/// How many rows, columns and elements from row to row an operator takes.
enum class Extent {
  Rows,     ///< hk::rows: columns below 2^29, rows and pitches below 2^31
  Products, ///< hk::gemm: rows and columns up to 2^31 - 256, pitches below 2^31
  Elements  ///< hk::pointwise: all whose bytes can be counted
};

class Arguments {
public:
  explicit Arguments(Extent extent) : extent(extent) {}

  explicit operator bool() const { return error == hipSuccess; }

  void launch(const hk_launch *launch);
  /// \p rowsName, \p columnsName: as in the interface.
  void shape(int64_t rows, int64_t columns, const char *rowsName = "rows",
             const char *columnsName = "columns");
  /// \p name: as in the interface. \p optional: the data may be null, for an operand that is left
  /// out.
  void matrix(const char *name, const hk_matrix &matrix, TypeSet types, bool optional = false,
              bool broadcast = false);
  /// A matrix that is multiplied.
  void factor(const char *name, const hk_factor &factor, int64_t rows, int64_t columns,
              TypeSet types);
  /// Elements from one batch to the next.
  void stride(const char *name, int64_t stride, int64_t batches);
  /// A vector of as many elements as there are columns.
  void vector(const char *name, const hk_vector &vector, TypeSet types, bool optional = false);
  void output(const char *name, const hk_output *output, TypeSet plain, TypeSet quantized,
              bool anyGroup = false);
  void scales(const char *name, const float *scale, int64_t pitch, int64_t groups, bool broadcast);
  void type(const char *name, int type, TypeSet types);
  void oneOf(const char *name, int value, int count);
  void finite(const char *name, float value, bool positive);
  void pointer(const char *name, const void *data, int elementBytes, bool optional = false);

  /// Records the first that does not hold.
  __attribute__((format(printf, 4, 5))) void require(bool holds, hipError_t otherwise,
                                                     const char *format, ...);

  /// The result of the call: the error of an argument, or what \p start returns. Nothing to do if
  /// there are no elements.
  template <class F> int run(F start) {
    if (error == hipSuccess)
      device();
    if (error == hipSuccess && !empty)
      started(start());
    return int(error);
  }

  int result() const { return int(error); }
  /// For operands that are no matrices.
  void setEmpty(bool is) { empty = is; }

private:
  void device();
  void started(hipError_t result);

  Extent extent;
  int64_t rows = 0, columns = 0;
  bool empty = false;
  hipError_t error = hipSuccess;
};

inline Launch launchOf(const hk_launch &launch) {
  return {static_cast<hipStream_t>(launch.stream), {launch.workspace}};
}

template <class T> Matrix<T> matrixOf(const hk_matrix &m) {
  return {static_cast<T *>(m.data), m.pitch};
}
template <class T> RowVector<T> vectorOf(const hk_vector &v) {
  return {static_cast<const T *>(v.data)};
}

} // namespace hk::kernels
