//===- hk/gemm/warpgroup_instructions.h - Matrix instructions of four warps (sm_90a) -===//
//
// The other half of the table in hk/gemm/instructions.h: wgmma, with which four warps of sm_90 multiply what lies in LDS. 64 rows of
// W by N of X, 32 bytes of K of each; in a lane the sums are those of N / 8 tiles of MatrixOp, of the 16 rows of its warp.
//
// Factors lie in LDS as panels: each row has 128 bytes of K, the 16-byte chunks of which are exchanged by the number of the row
// (chunk ^ row % 8), from an address that is a multiple of 1024.
//
// Such code is for sm_90a alone. It is compiled in with -arch=sm_90a -DHK_SM90A.
//
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/instructions.h"

#if HK_NVIDIA && defined(HK_SM90A)
#define HK_WARPGROUPS 1
#else
#define HK_WARPGROUPS 0
#endif

namespace hk {
namespace detail {

/// Undefined where there is none.
template <class W, class X, int N> struct WarpgroupInstruction {
  static constexpr bool Exists = false;
};

#if HK_WARPGROUPS
// The operands of N columns: N / 8 tiles of 4 sums.
#define HK_SUMS_1(L, s, c) "+" L(s[c].value[0]), "+" L(s[c].value[1]), "+" L(s[c].value[2]), "+" L(s[c].value[3])
#define HK_SUMS_2(L, s, c) HK_SUMS_1(L, s, c), HK_SUMS_1(L, s, c + 1)
#define HK_SUMS_4(L, s, c) HK_SUMS_2(L, s, c), HK_SUMS_2(L, s, c + 2)
#define HK_SUMS_8(L, s, c) HK_SUMS_4(L, s, c), HK_SUMS_4(L, s, c + 4)
#define HK_SUMS_16(L, s, c) HK_SUMS_8(L, s, c), HK_SUMS_8(L, s, c + 8)
#define HK_SUMS_32(L, s, c) HK_SUMS_16(L, s, c), HK_SUMS_16(L, s, c + 16)
#define HK_NAMES_1 "%0, %1, %2, %3"
#define HK_NAMES_2 HK_NAMES_1 ", %4, %5, %6, %7"
#define HK_NAMES_4 HK_NAMES_2 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define HK_NAMES_8 HK_NAMES_4 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define HK_NAMES_16 HK_NAMES_8 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define HK_NAMES_32 HK_NAMES_16 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95" \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define HK_WARPGROUP_INSTRUCTION(W, X, SUM, LETTER, TYPES, FLAGS, N, TILES, FACTOR_W, FACTOR_X)                        \
  template <> struct WarpgroupInstruction<W, X, N> {                                                                   \
    static constexpr bool Exists = true;                                                                               \
    static HK_DEVICE void run(Sums<SUM> (&sums)[TILES], uint64_t w, uint64_t x) {                                      \
      asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, 1, 1;\nwgmma.mma_async.sync.aligned.m64n" #N TYPES                \
                   " {" HK_NAMES_##TILES "}, %" FACTOR_W ", %" FACTOR_X ", p" FLAGS ";\n}"                             \
                   : HK_SUMS_##TILES(LETTER, sums, 0)                                                                  \
                   : "l"(w), "l"(x)                                                                                    \
                   : "memory");                                                                                        \
    }                                                                                                                  \
  };
#define HK_WARPGROUP_INSTRUCTIONS(W, X, SUM, LETTER, TYPES, FLAGS)                                                     \
  HK_WARPGROUP_INSTRUCTION(W, X, SUM, LETTER, TYPES, FLAGS, 8, 1, "4", "5")                                            \
  HK_WARPGROUP_INSTRUCTION(W, X, SUM, LETTER, TYPES, FLAGS, 16, 2, "8", "9")                                           \
  HK_WARPGROUP_INSTRUCTION(W, X, SUM, LETTER, TYPES, FLAGS, 32, 4, "16", "17")                                         \
  HK_WARPGROUP_INSTRUCTION(W, X, SUM, LETTER, TYPES, FLAGS, 64, 8, "32", "33")                                         \
  HK_WARPGROUP_INSTRUCTION(W, X, SUM, LETTER, TYPES, FLAGS, 128, 16, "64", "65")                                       \
  HK_WARPGROUP_INSTRUCTION(W, X, SUM, LETTER, TYPES, FLAGS, 256, 32, "128", "129")
//                        W       X       sums          instruction
HK_WARPGROUP_INSTRUCTIONS(f16,    f16,    float,   "f", "k16.f32.f16.f16",   ", 1, 1, 0, 0")
HK_WARPGROUP_INSTRUCTIONS(bf16,   bf16,   float,   "f", "k16.f32.bf16.bf16", ", 1, 1, 0, 0")
HK_WARPGROUP_INSTRUCTIONS(int8_t, int8_t, int32_t, "r", "k32.s32.s8.s8",     "")
HK_WARPGROUP_INSTRUCTIONS(e4m3,   e4m3,   float,   "f", "k32.f32.e4m3.e4m3", ", 1, 1")
HK_WARPGROUP_INSTRUCTIONS(e4m3,   e5m2,   float,   "f", "k32.f32.e4m3.e5m2", ", 1, 1")
HK_WARPGROUP_INSTRUCTIONS(e5m2,   e4m3,   float,   "f", "k32.f32.e5m2.e4m3", ", 1, 1")
HK_WARPGROUP_INSTRUCTIONS(e5m2,   e5m2,   float,   "f", "k32.f32.e5m2.e5m2", ", 1, 1")
#undef HK_WARPGROUP_INSTRUCTIONS
#undef HK_WARPGROUP_INSTRUCTION

#endif

/// Whether these are multiplied by warpgroups on a device that has them.
template <class W, class X> constexpr bool hasWarpgroups = WarpgroupInstruction<W, X, 64>::Exists;

/// Bytes of K of a row of a panel; of an instruction.
constexpr int PanelBytes = 128, WarpgroupStepBytes = 32;

/// The chunk of a panel where chunk \p chunk of row \p row is.
HK_DEVICE constexpr int panelSlot(int row, int chunk) { return row * 8 + (chunk ^ row % 8); }

#if HK_WARPGROUPS

/// Says to an instruction where its rows of a panel are. \p lds: their first byte, or one 32, 64 or 96 bytes behind it.
HK_DEVICE uint64_t panelDescriptor(const char *lds) {
  constexpr uint64_t Exchanged = uint64_t(1) << 62, EightRows = uint64_t(1024 / 16) << 32, Unused = uint64_t(1) << 16;
  return Exchanged | EightRows | Unused | ((uint32_t(__cvta_generic_to_shared(lds)) & 0x3ffff) >> 4);
}

/// Sums may be used by instructions from here on; what they do from here on is one group; waits for all groups but the last
/// \p Running.
HK_DEVICE void beginWarpgroup() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
HK_DEVICE void endWarpgroup() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Running> HK_DEVICE void awaitWarpgroups() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Running) : "memory");
}

#endif

} // namespace detail
} // namespace hk
