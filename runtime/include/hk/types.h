//===- hk/types.h - The element types of the core kernels -----------------===//
//
// A tensor's elements are float, double (for hk::gemm), int8_t, uint8_t, int32_t, or one of the structs below, which hold
// the bits of a 16-bit or 8-bit floating point number and nothing else. Conversions are in
// hk/convert.h. This header needs no other of HIP's or CUDA's, so that a host compiler can read it;
// the platforms' own types (_Float16, __half, ...) are mapped to these by hk/native_types.h.
//
//   type       sign exponent mantissa  bias  largest  infinities  NaN         -0
//   f16        1    5        10        15    65504    yes         many        yes
//   bf16       1    8        7         127   3.39e38  yes         many        yes
//   e4m3       1    4        3         7     448      no          0x7F, 0xFF  yes   OCP 8-bit
//   floating point e5m2       1    5        2         15    57344    yes         many        yes
//   OCP 8-bit floating point e4m3fnuz   1    4        3         8     240      no          0x80 no
//   e5m2fnuz   1    5        2         16    57344    no          0x80        no
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace hk {

struct f16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};
struct e4m3 {
  uint8_t bits;
};
struct e5m2 {
  uint8_t bits;
};
struct e4m3fnuz {
  uint8_t bits;
};
struct e5m2fnuz {
  uint8_t bits;
};

/// An element type as a value, for interfaces without templates. The numbers are part of the C ABI.
enum class Type : int {
  F32 = 0,
  F16 = 1,
  BF16 = 2,
  I8 = 3,
  U8 = 4,
  I32 = 5,
  E4M3 = 6,
  E5M2 = 7,
  E4M3FNUZ = 8,
  E5M2FNUZ = 9,
  F64 = 10,
};

/// What a value becomes that is too large for the type it is converted to, after rounding.
enum class Overflow {
  /// The largest finite value with the sign; for infinities, too. Integers always saturate.
  Saturate,
  /// What the format has for it: an infinity, or NaN in a format without infinities.
  Special,
  /// The caller knows that no value is too large (a scale was computed from the largest one, say):
  /// the cheapest
  /// conversion of the machine. A value that is too large nevertheless becomes what one of the
  /// other two says.
  InRange,
};

/// The Type of a C++ type: `TypeOf<f16>::value`. Types of the user's can specialize it together
/// with `ElementOf`.
template <class T> struct TypeOf;
/// The C++ type of a Type: `TypeFor<Type::F16>::type`.
template <Type Which> struct TypeFor;
/// The element type with the same bits as \p T, itself for the types of this header.
/// `hk/native_types.h` adds _Float16, __half and the like.
template <class T> struct ElementOf {
  using type = T;
};

#define HK_ELEMENT_TYPE(CPP, ENUM)                                                                 \
  template <> struct TypeOf<CPP> {                                                                 \
    static constexpr Type value = Type::ENUM;                                                      \
  };                                                                                               \
  template <> struct TypeFor<Type::ENUM> {                                                         \
    using type = CPP;                                                                              \
  };
HK_ELEMENT_TYPE(float, F32)
HK_ELEMENT_TYPE(f16, F16)
HK_ELEMENT_TYPE(bf16, BF16)
HK_ELEMENT_TYPE(int8_t, I8)
HK_ELEMENT_TYPE(uint8_t, U8)
HK_ELEMENT_TYPE(int32_t, I32)
HK_ELEMENT_TYPE(e4m3, E4M3)
HK_ELEMENT_TYPE(e5m2, E5M2)
HK_ELEMENT_TYPE(e4m3fnuz, E4M3FNUZ)
HK_ELEMENT_TYPE(e5m2fnuz, E5M2FNUZ)
HK_ELEMENT_TYPE(double, F64)
#undef HK_ELEMENT_TYPE

template <class T> inline constexpr Type typeOf = TypeOf<T>::value;

/// Bytes of one element; 0 if \p T is none of the enumerators.
#if defined(__HIP__) || defined(__CUDACC__)
__host__ __device__
#endif
    constexpr int sizeOf(Type T) {
  switch (T) {
  case Type::F64:
    return 8;
  case Type::F32:
  case Type::I32:
    return 4;
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::I8:
  case Type::U8:
  case Type::E4M3:
  case Type::E5M2:
  case Type::E4M3FNUZ:
  case Type::E5M2FNUZ:
    return 1;
  }
  return 0;
}

/// 8-bit floating point, OCP or FNUZ.
template <class T> inline constexpr bool isFp8 = false;
template <> inline constexpr bool isFp8<e4m3> = true;
template <> inline constexpr bool isFp8<e5m2> = true;
template <> inline constexpr bool isFp8<e4m3fnuz> = true;
template <> inline constexpr bool isFp8<e5m2fnuz> = true;

} // namespace hk
