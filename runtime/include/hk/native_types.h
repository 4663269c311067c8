//===- hk/native_types.h - The platforms' own 16-bit types ----------------===//
//
// Maps _Float16, __bf16, __half, __hip_bfloat16 and __nv_bfloat16 to hk::f16 and hk::bf16, whose
// bits are the same:
//
//   hk::ElementOf<__half>::type is hk::f16, hk::typeOf<__half> is hk::Type::F16.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"
#include "hk/types.h"

#if HK_AMD
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace hk {

#define HK_NATIVE_TYPE(CPP, ELEMENT)                                                               \
  template <> struct TypeOf<CPP> : TypeOf<ELEMENT> {};                                             \
  template <> struct ElementOf<CPP> {                                                              \
    static_assert(sizeof(CPP) == sizeof(ELEMENT), "the same bits");                                \
    using type = ELEMENT;                                                                          \
  };
HK_NATIVE_TYPE(__half, f16)
#if HK_AMD
HK_NATIVE_TYPE(_Float16, f16)
HK_NATIVE_TYPE(__bf16, bf16)
HK_NATIVE_TYPE(__hip_bfloat16, bf16)
#else
HK_NATIVE_TYPE(__nv_bfloat16, bf16)
#endif
#undef HK_NATIVE_TYPE

} // namespace hk
