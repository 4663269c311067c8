//===- hk/gemm/instructions.h - The matrix instructions of each target -----===//
//
// One table says which matrix instruction multiplies what on which target; `MatrixOp<W, X>` makes all of them look alike.
// Nothing else in hk/gemm names an instruction.
//
// W and X are the two operands: W's rows become rows of the instruction's result, X's rows its columns, and both are
// multiplied along their rows (K). A lane always holds 16 consecutive bytes of K of one row: a chunk. `Groups` lanes share
// a row, so that a wavefront takes Groups * 16 bytes of K of each row at once: a step.
//
//   MatrixOp<W, X>              AMD                               NVIDIA
//   WaveSize                    64                                32
//   TileW, TileX                16, 16                            16, 8
//   Groups                      4                                 4
//   chunks of W in a lane       1: row lane % 16                  2: rows lane / 4 and lane / 4 + 8
//   chunks of X in a lane       1: row lane % 16                  1: row lane / 4
//   group of a lane             lane / 16                         lane % 4
//   accumulators in a lane      4: rows 4 * (lane / 16) + r,      4: rows lane / 4 + 8 * (r / 2),
//                               column lane % 16                  columns 2 * (lane % 4) + r % 2
//                               (f64: rows lane / 16 + 4 * r)
//
// An instruction takes one, two or four words of a lane (`Words`), and so a chunk 4, 2 or 1 instructions. Which elements of
// K these are differs from the instruction's own order, but it is the same order for W and X, and the sum does not ask. So
// every operand is read 16 bytes at a time, from memory and from LDS, whatever its type.
//
// Types of 8-bit floating point that the target has no instruction for (all on gfx90a and sm_80, FNUZ elsewhere than on
// gfx942, OCP on gfx942) are converted to f16, which holds each of their values exactly.
//
// f32 on NVIDIA: there is no such instruction. Each factor is split in two tf32 numbers (11 bits each) and three products
// are added: a product's relative error is below 2^-20.
//
// Sources: AMD's matrix instruction calculator for the layouts (docs/facts.md); PTX ISA, "Matrix Fragments for mma".
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/fp8.h"
#include "hk/platform.h"
#include "hk/vector.h"

namespace hk {
namespace detail {

/// In what the products of a type are added up.
template <class T> struct SumOf {
  using Type = float;
};
template <> struct SumOf<int8_t> {
  using Type = int32_t;
};
template <> struct SumOf<double> {
  using Type = double;
};

constexpr int ChunkBytes = 16;
template <class T> constexpr int ChunkElements = ChunkBytes / int(sizeof(T));

/// An instruction of the table. Undefined where there is none for the target.
template <class W, class X> struct MatrixInstruction {
  static constexpr bool Exists = false;
};

#if HK_AMD

using Sum4 = float __attribute__((ext_vector_type(4)));
using IntegerSum4 = int32_t __attribute__((ext_vector_type(4)));
using DoubleSum4 = double __attribute__((ext_vector_type(4)));
using Half4 = _Float16 __attribute__((ext_vector_type(4)));
using Half8 = _Float16 __attribute__((ext_vector_type(8)));
using Bfloat4 = short __attribute__((ext_vector_type(4)));
using Bfloat8 = __bf16 __attribute__((ext_vector_type(8)));
using ShortBfloat8 = short __attribute__((ext_vector_type(8)));

#define HK_MATRIX_INSTRUCTION(W, X, WORDS, FACTOR, SUM, BUILTIN)                                                       \
  template <> struct MatrixInstruction<W, X> {                                                                         \
    static constexpr bool Exists = true;                                                                               \
    static constexpr int Words = WORDS;                                                                                \
    static HK_DEVICE void run(SUM &sum, const uint32_t *w, const uint32_t *x) {                                        \
      FACTOR a, b;                                                                                                     \
      static_assert(sizeof(FACTOR) == 4 * WORDS, "a lane's words");                                                    \
      __builtin_memcpy(&a, w, sizeof(a));                                                                              \
      __builtin_memcpy(&b, x, sizeof(b));                                                                              \
      sum = BUILTIN(a, b, sum, 0, 0, 0);                                                                               \
    }                                                                                                                  \
  };
//                    W         X         words lane's factor  sums         instruction
HK_MATRIX_INSTRUCTION(float,    float,    1,    float,         Sum4,        __builtin_amdgcn_mfma_f32_16x16x4f32)
HK_MATRIX_INSTRUCTION(double,   double,   2,    double,        DoubleSum4,  __builtin_amdgcn_mfma_f64_16x16x4f64)
#if defined(__gfx950__)
HK_MATRIX_INSTRUCTION(f16,      f16,      4,    Half8,         Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_f16)
HK_MATRIX_INSTRUCTION(bf16,     bf16,     4,    Bfloat8,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_bf16)
HK_MATRIX_INSTRUCTION(int8_t,   int8_t,   4,    IntegerSum4,   IntegerSum4, __builtin_amdgcn_mfma_i32_16x16x64_i8)
#else
HK_MATRIX_INSTRUCTION(f16,      f16,      2,    Half4,         Sum4,        __builtin_amdgcn_mfma_f32_16x16x16f16)
HK_MATRIX_INSTRUCTION(bf16,     bf16,     2,    Bfloat4,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
#if defined(__gfx942__)
HK_MATRIX_INSTRUCTION(int8_t,   int8_t,   2,    int64_t,       IntegerSum4, __builtin_amdgcn_mfma_i32_16x16x32_i8)
#else
HK_MATRIX_INSTRUCTION(int8_t,   int8_t,   1,    int32_t,       IntegerSum4, __builtin_amdgcn_mfma_i32_16x16x16i8)
#endif
#endif
#if HK_FP8_FNUZ_INSTRUCTIONS
HK_MATRIX_INSTRUCTION(e4m3fnuz, e4m3fnuz, 2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8)
HK_MATRIX_INSTRUCTION(e4m3fnuz, e5m2fnuz, 2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8)
HK_MATRIX_INSTRUCTION(e5m2fnuz, e4m3fnuz, 2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8)
HK_MATRIX_INSTRUCTION(e5m2fnuz, e5m2fnuz, 2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8)
#elif HK_FP8_OCP_INSTRUCTIONS
HK_MATRIX_INSTRUCTION(e4m3,     e4m3,     2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8)
HK_MATRIX_INSTRUCTION(e4m3,     e5m2,     2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8)
HK_MATRIX_INSTRUCTION(e5m2,     e4m3,     2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_bf8_fp8)
HK_MATRIX_INSTRUCTION(e5m2,     e5m2,     2,    int64_t,       Sum4,        __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8)
#endif
#undef HK_MATRIX_INSTRUCTION

/// A lane's part of a tile of sums.
template <class S> struct Sums {
  using Vector = S __attribute__((ext_vector_type(4)));
  Vector vector;
  HK_DEVICE void clear() { vector = Vector{0, 0, 0, 0}; }
  HK_DEVICE S at(int r) const { return vector[r]; }
};

#else

/// A lane's part of a tile of sums.
template <class S> struct Sums {
  S value[4];
  HK_DEVICE void clear() { value[0] = value[1] = value[2] = value[3] = S(0); }
  HK_DEVICE S at(int r) const { return value[r]; }
};

// Two words of W's first row and two of its second, two of X's.
#define HK_MATRIX_INSTRUCTION(W, X, SUM, LETTER, MNEMONIC)                                                             \
  template <> struct MatrixInstruction<W, X> {                                                                         \
    static constexpr bool Exists = true;                                                                               \
    static constexpr int Words = 2;                                                                                    \
    static HK_DEVICE void run(SUM (&sum)[4], const uint32_t *w0, const uint32_t *w1, const uint32_t *x) {              \
      asm("mma.sync.aligned." MNEMONIC " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"              \
          : "+" LETTER(sum[0]), "+" LETTER(sum[1]), "+" LETTER(sum[2]), "+" LETTER(sum[3])                             \
          : "r"(w0[0]), "r"(w1[0]), "r"(w0[1]), "r"(w1[1]), "r"(x[0]), "r"(x[1]));                                     \
    }                                                                                                                  \
  };
//                    W       X       sums           instruction
HK_MATRIX_INSTRUCTION(f16,    f16,    float,   "f",  "m16n8k16.row.col.f32.f16.f16.f32")
HK_MATRIX_INSTRUCTION(bf16,   bf16,   float,   "f",  "m16n8k16.row.col.f32.bf16.bf16.f32")
HK_MATRIX_INSTRUCTION(int8_t, int8_t, int32_t, "r",  "m16n8k32.row.col.s32.s8.s8.s32")
#if HK_FP8_PTX
HK_MATRIX_INSTRUCTION(e4m3,   e4m3,   float,   "f",  "m16n8k32.row.col.f32.e4m3.e4m3.f32")
HK_MATRIX_INSTRUCTION(e4m3,   e5m2,   float,   "f",  "m16n8k32.row.col.f32.e4m3.e5m2.f32")
HK_MATRIX_INSTRUCTION(e5m2,   e4m3,   float,   "f",  "m16n8k32.row.col.f32.e5m2.e4m3.f32")
HK_MATRIX_INSTRUCTION(e5m2,   e5m2,   float,   "f",  "m16n8k32.row.col.f32.e5m2.e5m2.f32")
#endif
#undef HK_MATRIX_INSTRUCTION

/// The nearest tf32 number, and what it leaves of an f32.
HK_DEVICE void splitTf32(uint32_t from, uint32_t &high, uint32_t &low) {
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(high) : "f"(__uint_as_float(from)));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(low) : "f"(__uint_as_float(from) - __uint_as_float(high)));
}

template <> struct MatrixInstruction<float, float> {
  static constexpr bool Exists = true;
  static constexpr int Words = 2;
  static HK_DEVICE void product(float (&sum)[4], const uint32_t (&w)[4], const uint32_t (&x)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(x[0]), "r"(x[1]));
  }
  static HK_DEVICE void run(float (&sum)[4], const uint32_t *w0, const uint32_t *w1, const uint32_t *x) {
    uint32_t wHigh[4], wLow[4], xHigh[2], xLow[2];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      splitTf32(w0[n], wHigh[2 * n], wLow[2 * n]);
      splitTf32(w1[n], wHigh[2 * n + 1], wLow[2 * n + 1]);
      splitTf32(x[n], xHigh[n], xLow[n]);
    }
    product(sum, wLow, xHigh); // the small ones first
    product(sum, wHigh, xLow);
    product(sum, wHigh, xHigh);
  }
};

template <> struct MatrixInstruction<double, double> {
  static constexpr bool Exists = true;
  static constexpr int Words = 2;
  static HK_DEVICE void half(double &sum0, double &sum1, const uint32_t *w, const uint32_t *x) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum0), "+d"(sum1)
        : "d"(doubleOf(w[0], w[1])), "d"(doubleOf(x[0], x[1])));
  }
  static HK_DEVICE void run(double (&sum)[4], const uint32_t *w0, const uint32_t *w1, const uint32_t *x) {
    half(sum[0], sum[1], w0, x);
    half(sum[2], sum[3], w1, x);
  }
};

#endif

/// Half a chunk of 8-bit floating point as a chunk of f16.
template <class T> HK_DEVICE void toHalves(const uint32_t *from, uint32_t *to) {
#pragma unroll
  for (int word = 0; word < 2; ++word) {
    float values[4];
    unpackFp8<T>(from[word], values);
    packF16<Overflow::InRange, 2>(values, to + 2 * word);
  }
}

/// Instructions that a chunk takes; without an instruction for the type, twice those of f16.
template <class Instruction> constexpr int partsOfChunk() {
  if constexpr (Instruction::Exists)
    return 4 / Instruction::Words;
  else
    return 2 * partsOfChunk<MatrixInstruction<f16, f16>>();
}

template <class W, class X> struct MatrixOp {
  using Sum = typename SumOf<W>::Type;
  static_assert(sizeof(W) == sizeof(X), "both operands' chunks hold as many elements");

  static constexpr int TileW = 16, TileX = HK_AMD ? 16 : 8;
  static constexpr int Groups = 4;
  static constexpr int WChunks = HK_AMD ? 1 : 2;
  static constexpr int Results = 4;
  static constexpr int StepBytes = Groups * ChunkBytes;
  static constexpr int StepElements = StepBytes / int(sizeof(W));
  /// Consecutive accumulators of a lane that are consecutive rows of W.
  static constexpr int Run = HK_AMD && sizeof(W) != 8 ? 4 : 1;

  static HK_DEVICE int group(int lane) { return HK_AMD ? lane / 16 : lane % 4; }
  static HK_DEVICE int rowOfW(int lane, int chunk) { return HK_AMD ? lane % 16 : lane / 4 + 8 * chunk; }
  static HK_DEVICE int rowOfX(int lane) { return HK_AMD ? lane % 16 : lane / 4; }
  /// Where accumulator \p r of a lane belongs: the row of W and the row of X.
  static HK_DEVICE int resultW(int lane, int r) {
    if (!HK_AMD)
      return lane / 4 + 8 * (r / 2);
    return sizeof(W) == 8 ? lane / 16 + 4 * r : 4 * (lane / 16) + r;
  }
  static HK_DEVICE int resultX(int lane, int r) { return HK_AMD ? lane % 16 : 2 * (lane % 4) + r % 2; }

  static HK_DEVICE Sum result(const Sums<Sum> &sums, int r) { return sums.at(r); }

  /// A chunk takes several instructions that add to the same sums: one after another they would wait for each other, so a caller
  /// goes through all of its tiles with part 0, then with part 1, ...
  static constexpr bool Direct = MatrixInstruction<W, X>::Exists;
  static constexpr int Parts = partsOfChunk<MatrixInstruction<W, X>>();

  /// Adds the products of a part of a chunk of each row.
  static HK_DEVICE void multiply(Sums<Sum> &sums, const uint32_t (&w)[WChunks][4], const uint32_t (&x)[4], int part) {
    if constexpr (Direct) {
      using Instruction = MatrixInstruction<W, X>;
      const int word = part * Instruction::Words;
#if HK_AMD
      Instruction::run(sums.vector, w[0] + word, x + word);
#else
      Instruction::run(sums.value, w[0] + word, w[1] + word, x + word);
#endif
    } else {
      static_assert(isFp8<W> && isFp8<X>, "no matrix instruction multiplies these types");
      constexpr int HalfParts = MatrixOp<f16, f16>::Parts;
      const int half = part / HalfParts; // of the chunk: two words make a chunk of f16
      uint32_t halvesW[WChunks][4], halvesX[4];
#pragma unroll
      for (int chunk = 0; chunk < WChunks; ++chunk)
        toHalves<W>(w[chunk] + 2 * half, halvesW[chunk]);
      toHalves<X>(x + 2 * half, halvesX);
      MatrixOp<f16, f16>::multiply(sums, halvesW, halvesX, part % HalfParts);
    }
  }
};

} // namespace detail
} // namespace hk
