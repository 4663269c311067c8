//===- hk/gemm/sparse.h - Dense factors in the instructions for sparse ones ----===//
//
// CDNA3's smfmac multiplies a factor of which at most two of each four elements are not zero, compressed to those two, with a
// dense one, and takes as long as the dense instruction for twice the K. A dense row can be split in two of this kind: its
// elements 0 and 1 of each four, and its elements 2 and 3. So with m <= 8 rows of X as 16 rows of the sparse factor, W dense, half
// as many instructions multiply the same bytes of W; the two rows of the result that belong to a row of X are added up at the end.
//
// A lane's chunk of W is one instruction. Of X's chunk a lane uses half: the first or last two elements of each four.
//
//   lane          row lane % 16 of W; row lane % 16 / 2 of X, the half of which is lane % 2; both K from lane / 16 on
//   results       row of W lane % 16; rows of X 2 * (lane / 16) + r, each the sum of two accumulators
//
// Source: CDNA3 ISA, "Sparse Matrix Fused Multiply Accumulate"; AMD's matrix instruction calculator for the layout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/instructions.h"
#include "hk/target.h"

namespace hk {
namespace detail {

/// An instruction of the table. W is the dense factor. `Index` of a row with elements 0 and 1 of each four; the other's is its
/// complement within Mask.
template <class W, class X> struct SparseInstruction {
  static constexpr bool Exists = false;
};

/// Types for which some target has an instruction; known on the host, too.
template <class W, class X>
inline constexpr bool hasSparseForm = HK_AMD && (sizeof(W) == 2 ? std::is_same_v<W, X> : sizeof(W) == 1);

/// Whether the target has an instruction for them.
template <class W, class X> bool hasSparseOn(const Target &target) {
  if (!hasSparseForm<W, X> || target.arch == Arch::Gfx90a)
    return false;
  if constexpr (isFp8<W>)
    return FormatOf<W>::Fnuz == usesFnuz(target) && FormatOf<X>::Fnuz == usesFnuz(target);
  return true;
}

#if HK_AMD && (defined(__gfx942__) || defined(__gfx950__))
using Int2 = int32_t __attribute__((ext_vector_type(2)));
using Int4 = int32_t __attribute__((ext_vector_type(4)));

#define HK_SPARSE_INSTRUCTION(W, X, NARROW, WIDE, SUM, BUILTIN)                                                        \
  template <> struct SparseInstruction<W, X> {                                                                         \
    static constexpr bool Exists = true;                                                                               \
    static HK_DEVICE void run(SUM &sum, const uint32_t (&w)[4], const uint32_t (&x)[2], int index) {                   \
      WIDE dense;                                                                                                      \
      NARROW sparse;                                                                                                   \
      __builtin_memcpy(&dense, w, sizeof(dense));                                                                      \
      __builtin_memcpy(&sparse, x, sizeof(sparse));                                                                    \
      sum = BUILTIN(sparse, dense, sum, index, 0, 0);                                                                  \
    }                                                                                                                  \
  };
//                    W         X         half   chunk  sums         instruction, X first
HK_SPARSE_INSTRUCTION(f16,      f16,      Half4, Half8, Sum4,        __builtin_amdgcn_smfmac_f32_16x16x32_f16)
HK_SPARSE_INSTRUCTION(bf16,     bf16,     Bfloat4, ShortBfloat8, Sum4, __builtin_amdgcn_smfmac_f32_16x16x32_bf16)
HK_SPARSE_INSTRUCTION(int8_t,   int8_t,   Int2,  Int4,  IntegerSum4, __builtin_amdgcn_smfmac_i32_16x16x64_i8)
#if HK_FP8_FNUZ_INSTRUCTIONS
HK_SPARSE_INSTRUCTION(e4m3fnuz, e4m3fnuz, Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_fp8_fp8)
HK_SPARSE_INSTRUCTION(e4m3fnuz, e5m2fnuz, Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_bf8_fp8)
HK_SPARSE_INSTRUCTION(e5m2fnuz, e4m3fnuz, Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_fp8_bf8)
HK_SPARSE_INSTRUCTION(e5m2fnuz, e5m2fnuz, Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_bf8_bf8)
#elif HK_FP8_OCP_INSTRUCTIONS
HK_SPARSE_INSTRUCTION(e4m3,     e4m3,     Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_fp8_fp8)
HK_SPARSE_INSTRUCTION(e4m3,     e5m2,     Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_bf8_fp8)
HK_SPARSE_INSTRUCTION(e5m2,     e4m3,     Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_fp8_bf8)
HK_SPARSE_INSTRUCTION(e5m2,     e5m2,     Int2,  Int4,  Sum4,        __builtin_amdgcn_smfmac_f32_16x16x64_bf8_bf8)
#endif
#undef HK_SPARSE_INSTRUCTION
#endif

/// Looks like MatrixOp. AMD alone.
template <class W, class X> struct SparseOp {
  using Sum = typename SumOf<W>::Type;

  static constexpr int TileW = 16, TileX = 8;
  static constexpr int Groups = 4;
  static constexpr int WChunks = 1;
  static constexpr int Results = 2;
  static constexpr int StepBytes = Groups * ChunkBytes;
  static constexpr int StepElements = StepBytes / int(sizeof(W));
  static constexpr int Run = 1;
  static constexpr int Parts = 1;

  static HK_DEVICE int group(int lane) { return lane / 16; }
  static HK_DEVICE int rowOfW(int lane, int) { return lane % 16; }
  static HK_DEVICE int rowOfX(int lane) { return lane % 16 / 2; }
  static HK_DEVICE int resultW(int lane, int) { return lane % 16; }
  static HK_DEVICE int resultX(int lane, int r) { return 2 * (lane / 16) + r; }
  static HK_DEVICE Sum result(const Sums<Sum> &sums, int r) { return sums.at(2 * r) + sums.at(2 * r + 1); }

  static HK_DEVICE void multiply(Sums<Sum> &sums, const uint32_t (&w)[1][4], const uint32_t (&x)[4], int) {
#if HK_AMD
    using Instruction = SparseInstruction<W, X>;
    if constexpr (Instruction::Exists) {
      const bool last = threadIdx.x % 2; // of each four: the lane's parity is the work-item's
      uint32_t half[2];
      if constexpr (sizeof(W) == 2) {
        // Of values: choosing between elements of an array would put it in memory.
        const uint32_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
        half[0] = last ? x1 : x0;
        half[1] = last ? x3 : x2;
      } else {
        // Two bytes of each word: v_perm_b32's selector counts the second operand's bytes from 0.
        const uint32_t selector = last ? 0x07060302u : 0x05040100u;
        half[0] = __builtin_amdgcn_perm(x[1], x[0], selector);
        half[1] = __builtin_amdgcn_perm(x[3], x[2], selector);
      }
      Instruction::run(sums.vector, w[0], half, last ? 0xEEEE : 0x4444);
    } else {
      __builtin_trap(); // the host does not start this kernel
    }
#endif
  }
};

} // namespace detail
} // namespace hk
