//===- Mfma.cpp - Execution of matrix instructions ------------------------===//
//
// Both operands are first spread to one number an array element, 64 lanes side by side, which for B
// is already rows of the matrix. As the accumulator's registers hold runs of a row, too, the
// product itself is rows of B times one number of A, added to a row of D: loops of 4, 16 or 32 that
// vectorize.
//
//===----------------------------------------------------------------------===//

#include "Mfma.h"

#include "FloatFormats.h"

#include <cmath>
#include <cstring>
#include <type_traits>

using namespace hk::sim;

// The same bits with and without fused instructions of the host.
#pragma clang fp contract(off)

#ifndef __has_feature
#define __has_feature(X) 0
#endif

// One function body for the host's vector extensions there are. Results are the same: where a
// product is not exact, the fused form is asked for by name.
// Under a sanitizer the choice would be made before its runtime is ready.
#if defined(__x86_64__) && defined(__ELF__) && !__has_feature(address_sanitizer) &&                \
    !__has_feature(memory_sanitizer) && !__has_feature(thread_sanitizer)
#define HK_VECTOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HK_VECTOR
#endif

namespace {

constexpr unsigned Lanes = 64, MaxElements = 16;

template <typename T> using Spread = T[MaxElements][Lanes];

/// BLGP of all but the f64 forms moves B between lanes.
unsigned sourceLane(unsigned Lane, unsigned Blgp) {
  switch (Blgp) {
  case 1:
    return Lane % 32;
  case 2:
    return Lane % 32 + 32;
  case 3:
    return (Lane + 16) % 64;
  case 4:
  case 5:
  case 6:
  case 7:
    return Lane % 16 + 16 * (Blgp - 4);
  default:
    return Lane;
  }
}

} // namespace

HK_VECTOR static void spreadHalf(const uint32_t *R, unsigned Elements, Spread<float> &Out) {
  for (unsigned E = 0; E != Elements; ++E) {
    const uint32_t *Reg = R + E / 2 * Lanes;
    unsigned Shift = E % 2 * 16;
    for (unsigned L = 0; L != Lanes; ++L)
      Out[E][L] = halfToFloat(uint16_t(Reg[L] >> Shift));
  }
}

HK_VECTOR static void spreadBf16(const uint32_t *R, unsigned Elements, Spread<float> &Out) {
  for (unsigned E = 0; E != Elements; ++E) {
    const uint32_t *Reg = R + E / 2 * Lanes;
    for (unsigned L = 0; L != Lanes; ++L)
      Out[E][L] = floatOf(E % 2 ? Reg[L] & 0xffff0000 : Reg[L] << 16);
  }
}

HK_VECTOR static void spreadTable(const uint32_t *R, unsigned Elements, const float *Table,
                                  Spread<float> &Out) {
  for (unsigned E = 0; E != Elements; ++E) {
    const uint32_t *Reg = R + E / 4 * Lanes;
    for (unsigned L = 0; L != Lanes; ++L)
      Out[E][L] = Table[Reg[L] >> (E % 4 * 8) & 0xff];
  }
}

HK_VECTOR static void spreadByte(const uint32_t *R, unsigned Elements, Spread<uint32_t> &Out) {
  for (unsigned E = 0; E != Elements; ++E) {
    const uint32_t *Reg = R + E / 4 * Lanes;
    for (unsigned L = 0; L != Lanes; ++L)
      Out[E][L] = uint32_t(int8_t(Reg[L] >> (E % 4 * 8)));
  }
}

/// xf32 sees the upper 19 bits, rounded to nearest even.
static float toXf32(uint32_t Bits) {
  if ((Bits & 0x7f800000) == 0x7f800000)
    return floatOf(Bits);
  Bits += 0xfff + (Bits >> 13 & 1);
  return floatOf(Bits & ~0x1fffu);
}

static void spread(const uint32_t *R, MatrixType Type, unsigned Elements, Fp8Kind Fp8,
                   Spread<float> &Out) {
  switch (Type) {
  case MatrixType::F16:
    return spreadHalf(R, Elements, Out);
  case MatrixType::BF16:
    return spreadBf16(R, Elements, Out);
  case MatrixType::Fp8:
    return spreadTable(R, Elements,
                       decodeTable(Fp8 == Fp8Kind::Fnuz ? FormatFp8Fnuz : FormatFp8Ocp), Out);
  case MatrixType::Bf8:
    return spreadTable(R, Elements,
                       decodeTable(Fp8 == Fp8Kind::Fnuz ? FormatBf8Fnuz : FormatBf8Ocp), Out);
  case MatrixType::XF32:
    for (unsigned E = 0; E != Elements; ++E)
      for (unsigned L = 0; L != Lanes; ++L)
        Out[E][L] = toXf32(R[E * Lanes + L]);
    return;
  default:
    std::memcpy(Out, R, Elements * Lanes * sizeof(float));
  }
}

/// Where row \p I of a tile lies in D: the register, and the lane of its first column.
namespace {
struct RowPlace {
  unsigned Register, Lane;
};
} // namespace

static RowPlace placeOf(const MfmaForm &F, unsigned Block, unsigned I) {
  if (F.isDouble()) // registers in pairs
    return F.Tile == 4 ? RowPlace{0, 16 * I + 4 * Block} : RowPlace{I / 4, 16 * (I % 4)};
  if (F.Tile == 4)
    return {I, 4 * Block};
  unsigned Groups = Lanes / F.Tile;
  return {Block * F.Tile * F.Tile / Lanes + I / (4 * Groups) * 4 + I % 4, I / 4 % Groups * F.Tile};
}

// A row of a tile as one value: the compiler splits it into the registers there are, while of loops
// over arrays it makes gathers.
template <typename T, unsigned Tile> using RowOf = T __attribute__((ext_vector_type(Tile)));

template <typename V, typename T> static inline __attribute__((always_inline)) V load(const T *P) {
  V Row;
  std::memcpy(&Row, P, sizeof Row);
  return Row;
}

/// Sum + A * B of numbers or rows. Products of narrow numbers are exact; the others are fused with
/// the sum.
template <bool Exact, typename T, typename V>
static inline __attribute__((always_inline)) V step(V Sum, V A, V B) {
  if constexpr (Exact || std::is_integral_v<T>)
    return Sum + A * B;
  else
    return __builtin_elementwise_fma(A, B, Sum);
}

namespace {
/// One block of a dense form: in each of Groups runs of Span lanes, A has the tile's rows and B its
/// columns side by side.
template <typename T> struct DenseBlock {
  const Spread<T> *A, *B;
  unsigned ALane, BLane; // of the first run
  unsigned Span, Groups, Elements;
};
} // namespace

/// Adds the products of \p Count rows from \p I on with \p Width columns from \p J on. \p Rows are
/// the places of these rows in D.
template <unsigned Width, unsigned Count, bool Exact, typename T>
static inline __attribute__((always_inline)) void addRows(const DenseBlock<T> &Block, unsigned I,
                                                          unsigned J, T *const *Rows) {
  using Row = RowOf<T, Width>;
  Row Sum[Count];
#pragma clang loop unroll(full)
  for (unsigned R = 0; R != Count; ++R)
    Sum[R] = load<Row>(Rows[R] + J);
  for (unsigned G = 0; G != Block.Groups; ++G)
    for (unsigned E = 0; E != Block.Elements; ++E) {
      const T *A = &(*Block.A)[E][Block.ALane + G * Block.Span + I];
      Row B = load<Row>(&(*Block.B)[E][Block.BLane + G * Block.Span + J]);
#pragma clang loop unroll(full)
      for (unsigned R = 0; R != Count; ++R)
        Sum[R] = step<Exact, T, Row>(Sum[R], Row(A[R]), B);
    }
#pragma clang loop unroll(full)
  for (unsigned R = 0; R != Count; ++R)
    std::memcpy(Rows[R] + J, &Sum[R], sizeof(Row));
}

/// \p Rows are all of the tile. As much of it goes at once as the host has registers for.
template <bool Exact, typename T>
static inline __attribute__((always_inline)) void addTile(const DenseBlock<T> &Block,
                                                          T *const *Rows, unsigned Tile) {
  if (Tile == 4)
    return addRows<4, 4, Exact>(Block, 0, 0, Rows);
  for (unsigned I = 0; I != Tile; I += 4)
    for (unsigned J = 0; J != Tile; J += 16)
      addRows<16, 4, Exact>(Block, I, J, Rows + I);
}

HK_VECTOR static void addTileExact(const DenseBlock<float> &Block, float *const *Rows,
                                   unsigned Tile) {
  addTile<true>(Block, Rows, Tile);
}
HK_VECTOR static void addTileFused(const DenseBlock<float> &Block, float *const *Rows,
                                   unsigned Tile) {
  addTile<false>(Block, Rows, Tile);
}
HK_VECTOR static void addTileInteger(const DenseBlock<uint32_t> &Block, uint32_t *const *Rows,
                                     unsigned Tile) {
  addTile<true>(Block, Rows, Tile);
}

/// Row += Factors[n] * Columns[n], for all n in order.
template <unsigned Tile, typename T>
static inline __attribute__((always_inline)) void
addSparseRow(T *Row, const T *Factors, const T *const *Columns, unsigned Count) {
  using Vector = RowOf<T, Tile>;
  Vector Sum = load<Vector>(Row);
  for (unsigned N = 0; N != Count; ++N)
    Sum += Vector(Factors[N]) * load<Vector>(Columns[N]);
  std::memcpy(Row, &Sum, sizeof Sum);
}

HK_VECTOR static void addSparse(float *Row, const float *Factors, const float *const *Columns,
                                unsigned Count, unsigned Tile) {
  if (Tile == 32)
    addSparseRow<32>(Row, Factors, Columns, Count);
  else
    addSparseRow<16>(Row, Factors, Columns, Count);
}
HK_VECTOR static void addSparseInteger(uint32_t *Row, const uint32_t *Factors,
                                       const uint32_t *const *Columns, unsigned Count,
                                       unsigned Tile) {
  if (Tile == 32)
    addSparseRow<32>(Row, Factors, Columns, Count);
  else
    addSparseRow<16>(Row, Factors, Columns, Count);
}

/// CBSZ lets 2^CBSZ neighbouring blocks all take A from the one that ABID names.
static unsigned blockOfA(const MfmaForm &F, unsigned Block, const MfmaModifiers &M) {
  unsigned Shared = 1u << M.Cbsz;
  if (F.Sparse || !M.Cbsz || Shared > F.Blocks)
    return Block;
  return Block / Shared * Shared + M.Abid % Shared;
}

/// The compression bits of a lane, two for each element of A. Of more sets than one in a register,
/// ABID chooses, unless CBSZ is set.
static uint32_t indexBits(const MfmaForm &F, uint32_t Register, const MfmaModifiers &M) {
  unsigned Width = 2 * F.AElements, Sets = 32 / Width;
  unsigned Set = M.Cbsz ? 0 : M.Abid % Sets;
  return Width == 32 ? Register : Register >> (Set * Width) & ((1u << Width) - 1);
}

template <typename T, typename AddTile>
static void multiplyDense(const MfmaForm &F, const Spread<T> &A, const Spread<T> &B, T *D,
                          const MfmaModifiers &M, AddTile Add) {
  for (unsigned Block = 0; Block != F.Blocks; ++Block) {
    T *Rows[32];
    for (unsigned I = 0; I != F.Tile; ++I) {
      RowPlace P = placeOf(F, Block, I);
      Rows[I] = D + P.Register * Lanes + P.Lane;
    }
    DenseBlock<T> Dense = {&A,
                           &B,
                           blockOfA(F, Block, M) * F.Tile,
                           Block * F.Tile,
                           unsigned(F.Tile * F.Blocks),
                           F.lanesOfK(),
                           F.AElements};
    Add(Dense, Rows, F.Tile);
  }
}

template <typename T, typename AddRow>
static void multiplySparse(const MfmaForm &F, const Spread<T> &A, const Spread<T> &B, T *D,
                           const MfmaModifiers &M, const uint32_t *Index, AddRow Add) {
  for (unsigned I = 0; I != F.Tile; ++I) {
    T Factors[MaxElements * 4];
    const T *Columns[MaxElements * 4];
    unsigned Count = 0;
    for (unsigned G = 0; G != F.lanesOfK(); ++G) {
      uint32_t Bits = indexBits(F, Index[G * F.Tile + I], M);
      for (unsigned E = 0; E != F.AElements; ++E) {
        Factors[Count] = A[E][G * F.Tile + I];
        Columns[Count++] = &B[E / 2 * 4 + (Bits >> 2 * E & 3)][G * F.Tile];
      }
    }
    RowPlace P = placeOf(F, 0, I);
    Add(D + P.Register * Lanes + P.Lane, Factors, Columns, Count, F.Tile);
  }
}

static double doubleAt(const uint32_t *R, unsigned Pair, unsigned Lane) {
  return doubleOf(uint64_t(R[(2 * Pair + 1) * Lanes + Lane]) << 32 | R[2 * Pair * Lanes + Lane]);
}

/// BLGP of the f64 forms negates A, B and C.
static void executeDouble(const MfmaForm &F, const uint32_t *A, const uint32_t *B,
                          const uint32_t *C, uint32_t *D, unsigned Negate) {
  unsigned Span = F.Tile * F.Blocks;
  uint32_t Result[8 * Lanes];
  for (unsigned Block = 0; Block != F.Blocks; ++Block)
    for (unsigned I = 0; I != F.Tile; ++I) {
      RowPlace P = placeOf(F, Block, I);
      for (unsigned J = 0; J != F.Tile; ++J) {
        double Sum = doubleAt(C, P.Register, P.Lane + J);
        if (Negate & 4)
          Sum = -Sum;
        for (unsigned K = 0; K != F.lanesOfK(); ++K) {
          double X = doubleAt(A, 0, K * Span + Block * F.Tile + I);
          double Y = doubleAt(B, 0, K * Span + Block * F.Tile + J);
          Sum = std::fma(Negate & 1 ? -X : X, Negate & 2 ? -Y : Y, Sum);
        }
        Result[2 * P.Register * Lanes + P.Lane + J] = uint32_t(bitsOf(Sum));
        Result[(2 * P.Register + 1) * Lanes + P.Lane + J] = uint32_t(bitsOf(Sum) >> 32);
      }
    }
  std::memcpy(D, Result, F.cRegisters() * Lanes * sizeof(uint32_t));
}

void hk::sim::executeMfma(const MfmaForm &F, const uint32_t *A, const uint32_t *B,
                          const uint32_t *C, uint32_t *D, const MfmaModifiers &M,
                          const uint32_t *Index) {
  if (F.isDouble())
    return executeDouble(F, A, B, C, D, M.Blgp);

  uint32_t Permuted[MaxElements * Lanes];
  if (M.Blgp && !F.Sparse) {
    for (unsigned R = 0; R != F.bRegisters(); ++R)
      for (unsigned L = 0; L != Lanes; ++L)
        Permuted[R * Lanes + L] = B[R * Lanes + sourceLane(L, M.Blgp)];
    B = Permuted;
  }
  size_t Bytes = F.cRegisters() * Lanes * sizeof(uint32_t);
  if (F.isInteger()) {
    Spread<uint32_t> SA, SB;
    uint32_t Sum[32 * Lanes];
    spreadByte(A, F.AElements, SA);
    spreadByte(B, F.bElements(), SB);
    std::memcpy(Sum, C, Bytes);
    if (F.Sparse)
      multiplySparse(F, SA, SB, Sum, M, Index, addSparseInteger);
    else
      multiplyDense(F, SA, SB, Sum, M, addTileInteger);
    std::memcpy(D, Sum, Bytes);
    return;
  }
  Spread<float> SA, SB;
  float Sum[32 * Lanes];
  spread(A, F.A, F.AElements, M.Fp8, SA);
  spread(B, F.B, F.bElements(), M.Fp8, SB);
  std::memcpy(Sum, C, Bytes);
  if (F.Sparse)
    multiplySparse(F, SA, SB, Sum, M, Index, addSparse);
  else
    multiplyDense(F, SA, SB, Sum, M, F.A == MatrixType::F32 ? addTileFused : addTileExact);
  std::memcpy(D, Sum, Bytes);
}
