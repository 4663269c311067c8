//===- Matrix.cpp - Matrix instructions against a matrix product ----------===//
//
// The reference fills matrices, places their elements by the published layout (AMD's matrix
// instruction calculator), and looks the product up where the layout says D is. Small whole numbers
// make every sum exact, so that results are compared bit for bit; numbers of all sizes are compared
// with a bound.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "FloatFormats.h"
#include "Mfma.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

using namespace hk::arith;
using namespace hk::sim;

namespace {

struct Place {
  unsigned Register, Bit, Lane;
};

unsigned bitsOfType(MatrixType T) {
  return T == MatrixType::F64                            ? 64
         : T == MatrixType::F32 || T == MatrixType::XF32 ? 32
         : T == MatrixType::F16 || T == MatrixType::BF16 ? 16
                                                         : 8;
}

/// Element \p K of a row of A or column of B, of which a lane holds \p Held in a row.
Place placeOfOperand(unsigned Row, unsigned K, unsigned Block, unsigned Rows, unsigned Blocks,
                     unsigned Held, unsigned Bits) {
  unsigned At = K % Held * Bits;
  return {At / 32, At % 32, K / Held * (Rows * Blocks) + Rows * Block + Row};
}

Place placeOfResult(const MfmaForm &F, unsigned I, unsigned J, unsigned Block) {
  if (F.A == MatrixType::F64)
    return F.Tile == 16 ? Place{2 * (I / 4), 0, 16 * (I % 4) + J}
                        : Place{0, 0, 16 * I + 4 * Block + J};
  switch (F.Tile) {
  case 32:
    return {16 * Block + 4 * (I / 8) + I % 4, 0, 32 * (I / 4) % 64 + J};
  case 16:
    return {4 * Block + I % 4, 0, 16 * (I / 4) + J};
  default:
    return {I, 0, 4 * Block + J};
  }
}

uint64_t encode(double V, MatrixType T, Fp8Kind Kind) {
  bool Fnuz = Kind == Fp8Kind::Fnuz;
  switch (T) {
  case MatrixType::F64:
    return bitsOf(V);
  case MatrixType::F32:
  case MatrixType::XF32:
    return bitsOf(float(V));
  case MatrixType::F16:
    return encodeFloat(V, FormatF16);
  case MatrixType::BF16:
    return encodeFloat(V, FormatBF16);
  case MatrixType::I8:
    return uint8_t(int8_t(V));
  case MatrixType::Fp8:
    return encodeFloat(V, Fnuz ? FormatFp8Fnuz : FormatFp8Ocp);
  case MatrixType::Bf8:
    return encodeFloat(V, Fnuz ? FormatBf8Fnuz : FormatBf8Ocp);
  }
  return 0;
}

struct Registers {
  uint32_t Word[32][64] = {};
  void put(Place P, uint64_t Value, unsigned Bits) {
    if (Bits == 64) {
      Word[P.Register][P.Lane] = uint32_t(Value);
      Word[P.Register + 1][P.Lane] = uint32_t(Value >> 32);
    } else {
      Word[P.Register][P.Lane] |= uint32_t(Value) << P.Bit;
    }
  }
  uint64_t get(Place P, unsigned Bits) const {
    uint64_t V = Word[P.Register][P.Lane];
    return Bits == 64 ? V | uint64_t(Word[P.Register + 1][P.Lane]) << 32 : V;
  }
};

/// [block][row or column][k], dense.
using Matrix = std::vector<double>;

class Run {
public:
  Run(const MfmaForm &F, Random &R, bool Whole, MfmaModifiers M)
      : F(F), R(R), Whole(Whole), M(M), K(F.k()), A(F.Blocks * F.Tile * K), B(A.size()),
        C(F.Blocks * F.Tile * F.Tile) {}
  void compare(Check &Result);

private:
  const MfmaForm &F;
  Random &R;
  bool Whole;
  MfmaModifiers M;
  unsigned K;
  Matrix A, B, C;
  Registers RA, RB, RC, RD;
  uint32_t Index[64] = {};

  double draw();
  void fillDense(Matrix &Values, Registers &Into, unsigned Held, MatrixType T);
  void fillSparse();
  double &at(Matrix &V, unsigned Block, unsigned Row, unsigned KAt) {
    return V[(Block * F.Tile + Row) * K + KAt];
  }
};

} // namespace

double Run::draw() {
  int Small = int(R() % 9) - 4;
  if (Whole || F.isInteger())
    return Small;
  // Exact in every format.
  return std::ldexp(Small, int(R() % 5) - 2);
}

void Run::fillDense(Matrix &Values, Registers &Into, unsigned Held, MatrixType T) {
  for (unsigned Block = 0; Block != F.Blocks; ++Block)
    for (unsigned Row = 0; Row != F.Tile; ++Row)
      for (unsigned KAt = 0; KAt != K; ++KAt) {
        double V = at(Values, Block, Row, KAt) = draw();
        unsigned Bits = bitsOfType(T);
        Into.put(placeOfOperand(Row, KAt, Block, F.Tile, F.Blocks, Held, Bits), encode(V, T, M.Fp8),
                 Bits);
      }
}

/// Of each four k's two hold numbers; where, the index register says.
void Run::fillSparse() {
  unsigned Bits = bitsOfType(F.A), Width = 2 * F.AElements;
  unsigned Set = M.Cbsz ? 0 : M.Abid % (32 / Width);
  for (unsigned &Word : Index)
    Word = uint32_t(R());
  for (unsigned Row = 0; Row != F.Tile; ++Row)
    for (unsigned Four = 0; Four != K / 4; ++Four) {
      unsigned First = unsigned(R() % 3), Second = First + 1 + unsigned(R() % (3 - First));
      for (unsigned N = 0; N != 2; ++N) {
        unsigned At = N ? Second : First;
        double V = at(A, 0, Row, 4 * Four + At) = draw();
        Place P = placeOfOperand(Row, 2 * Four + N, 0, F.Tile, 1, F.AElements, Bits);
        RA.put(P, encode(V, F.A, M.Fp8), Bits);
        unsigned Shift = Set * Width + (2 * Four + N) % F.AElements * 2;
        Index[P.Lane] = (Index[P.Lane] & ~(3u << Shift)) | At << Shift;
      }
    }
}

void Run::compare(Check &Result) {
  if (F.Sparse)
    fillSparse();
  else
    fillDense(A, RA, F.AElements, F.A);
  fillDense(B, RB, F.bElements(), F.B);
  unsigned Bits = F.A == MatrixType::F64 ? 64 : 32;
  for (unsigned Block = 0; Block != F.Blocks; ++Block)
    for (unsigned I = 0; I != F.Tile; ++I)
      for (unsigned J = 0; J != F.Tile; ++J) {
        double V = C[(Block * F.Tile + I) * F.Tile + J] = draw();
        RC.put(placeOfResult(F, I, J, Block),
               F.isInteger() ? uint32_t(int32_t(V))
                             : encode(V, Bits == 64 ? F.A : MatrixType::F32, M.Fp8),
               Bits);
      }
  // In place, as accumulation is.
  RD = RC;
  executeMfma(F, RA.Word[0], RB.Word[0], RD.Word[0], RD.Word[0], M, Index);

  for (unsigned Block = 0; Block != F.Blocks; ++Block)
    for (unsigned I = 0; I != F.Tile; ++I)
      for (unsigned J = 0; J != F.Tile; ++J) {
        unsigned ABlock = Block, BBlock = Block, BColumn = J;
        double SignA = 1, SignB = 1, SignC = 1;
        if (F.A == MatrixType::F64) {
          SignA = M.Blgp & 1 ? -1 : 1;
          SignB = M.Blgp & 2 ? -1 : 1;
          SignC = M.Blgp & 4 ? -1 : 1;
        } else if (!F.Sparse) {
          unsigned Shared = 1u << M.Cbsz;
          ABlock = Block / Shared * Shared + M.Abid;
        }
        if (F.Sparse || F.A == MatrixType::F64)
          ABlock = Block;
        double Want = SignC * C[(Block * F.Tile + I) * F.Tile + J];
        for (unsigned KAt = 0; KAt != K; ++KAt)
          Want += SignA * at(A, ABlock, I, KAt) * SignB * at(B, BBlock, BColumn, KAt);
        uint64_t Got = RD.get(placeOfResult(F, I, J, Block), Bits);
        double Value = F.isInteger() ? double(int32_t(Got))
                       : Bits == 64  ? doubleOf(Got)
                                     : double(floatOf(uint32_t(Got)));
        Result.expect(Value == Want, "D[%u][%u].%u = %g, not %g", I, J, Block, Value, Want);
      }
}

static void testLayouts(const MfmaForm &F, uint64_t Rounds) {
  Check Result(F.Name);
  Random R(std::hash<std::string>()(F.Name));
  bool Broadcasts = F.Blocks > 1 && F.A != MatrixType::F64;
  for (uint64_t N = 0; N != Rounds; ++N)
    for (unsigned Cbsz = 0; (1u << Cbsz) <= (Broadcasts ? F.Blocks : 1u); ++Cbsz)
      for (unsigned Abid = 0; Abid != (F.Sparse ? 4 : 1u << Cbsz); ++Abid)
        for (unsigned Blgp = 0; Blgp != (F.A == MatrixType::F64 ? 8 : 1); ++Blgp)
          for (Fp8Kind Kind : {Fp8Kind::Fnuz, Fp8Kind::Ocp}) {
            MfmaModifiers M;
            M.Cbsz = Cbsz;
            M.Abid = Abid;
            M.Blgp = Blgp;
            M.Fp8 = Kind;
            Run(F, R, N % 2, M).compare(Result);
          }
}

/// BLGP, from its own definition: which 16 lanes of B each 16 lanes see.
static void testLaneGroups() {
  Check Result("blgp");
  static constexpr unsigned Groups[8][4] = {{0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
                                            {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
  const MfmaForm *F = findMfma("v_mfma_f32_32x32x1_2b_f32");
  Random R(11);
  for (unsigned Blgp = 0; Blgp != 8; ++Blgp) {
    Registers A, B, Moved, C, D, Want;
    for (unsigned L = 0; L != 64; ++L) {
      A.Word[0][L] = bitsOf(float(int(R() % 100)));
      B.Word[0][L] = bitsOf(float(int(R() % 100)));
    }
    for (unsigned L = 0; L != 64; ++L)
      Moved.Word[0][L] = B.Word[0][16 * Groups[Blgp][L / 16] + L % 16];
    MfmaModifiers M;
    executeMfma(*F, A.Word[0], Moved.Word[0], C.Word[0], Want.Word[0], M);
    M.Blgp = Blgp;
    executeMfma(*F, A.Word[0], B.Word[0], C.Word[0], D.Word[0], M);
    Result.expect(!std::memcmp(&D, &Want, sizeof D), "blgp %u", Blgp);
  }
}

/// Numbers of all sizes, NaN and infinity: a bound, and the right kind of result.
static void testRange(uint64_t Rounds) {
  Check Result("numbers of all sizes");
  Random R(12);
  const MfmaForm &F = *findMfma("v_mfma_f32_16x16x16_f16");
  for (uint64_t N = 0; N != Rounds; ++N) {
    Registers A, B, C, D;
    for (unsigned Reg = 0; Reg != 4; ++Reg)
      for (unsigned L = 0; L != 64; ++L) {
        auto Draw = [&] {
          uint32_t H = uint32_t(hardBits(R, 5, 10));
          bool Special = (H & 0x7c00) == 0x7c00;
          return Special && R() % 200 ? H & 0x83ff : H;
        };
        A.Word[Reg][L] = Draw() | Draw() << 16;
        B.Word[Reg][L] = Draw() | Draw() << 16;
        C.Word[Reg][L] = bitsOf(float(int64_t(R())) * 0x1p-50f);
      }
    executeMfma(F, A.Word[0], B.Word[0], C.Word[0], D.Word[0], {});
    auto Element = [](const Registers &Of, unsigned Row, unsigned K) {
      return double(halfToFloat(uint16_t(Of.Word[K % 4 / 2][16 * (K / 4) + Row] >> (K % 2 * 16))));
    };
    for (unsigned I = 0; I != 16; ++I)
      for (unsigned J = 0; J != 16; ++J) {
        double Want = floatOf(C.Word[I % 4][16 * (I / 4) + J]), Sizes = std::fabs(Want);
        for (unsigned K = 0; K != 16; ++K) {
          double P = Element(A, I, K) * Element(B, J, K);
          Want += P;
          Sizes += std::fabs(P);
        }
        double Got = floatOf(D.Word[I % 4][16 * (I / 4) + J]);
        bool Ok = std::isnan(Want)   ? std::isnan(Got)
                  : std::isinf(Want) ? Got == Want
                                     : std::fabs(Got - Want) <= Sizes * 17 * 0x1p-24;
        Result.expect(Ok, "D[%u][%u] = %g, not %g", I, J, Got, Want);
      }
  }
}

static void testNames() {
  Check Result("names");
  auto Is = [&](const char *Name, const char *Want) {
    const MfmaForm *F = findMfma(Name);
    Result.expect(F && !std::strcmp(F->Name, Want), "%s is %s", Name, F ? F->Name : "unknown");
  };
  Is("v_mfma_f32_32x32x8_f16", "mfma_f32_32x32x8_f16");
  Is("V_MFMA_F32_32X32X8F16_gfx940_vcd", "mfma_f32_32x32x8_f16");
  Is("V_MFMA_F32_32X32X8F16_mac_vgprcd_e64", "mfma_f32_32x32x8_f16");
  Is("V_MFMA_F32_32X32X4BF16_1K_gfx940_acd", "mfma_f32_32x32x4_2b_bf16");
  Is("V_MFMA_F32_32X32X4BF16_gfx90a_vcd", "mfma_f32_32x32x4_1b_bf16");
  Is("V_MFMA_F32_16X16X4F16_vi", "mfma_f32_16x16x4_4b_f16");
  Is("V_MFMA_F64_4X4X4F64_gfx940_vcd", "mfma_f64_4x4x4_4b_f64");
  Is("V_SMFMAC_F32_16X16X64_FP8_BF8_gfx940", "smfmac_f32_16x16x64_fp8_bf8");
  Is("V_MFMA_F32_16X16X8XF32_gfx940_vcd", "mfma_f32_16x16x8_xf32");
  Is("V_MFMA_I32_32X32X16I8_gfx940_vcd", "mfma_i32_32x32x16_i8");
  Result.expect(!findMfma("v_mfma_f32_5x5x5_f16") && !findMfma(""), "unknown names");
}

void hk::arith::testMatrix(uint64_t Count) {
  uint64_t Rounds = Count / 20000 + 2;
  for (const MfmaForm &F : mfmaForms())
    testLayouts(F, Rounds);
  testLaneGroups();
  testRange(Rounds * 10);
  testNames();

  for (const char *Name : {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_32x32x8_bf16",
                           "v_mfma_f32_16x16x32_fp8_fp8", "v_mfma_f32_32x32x2_f32"}) {
    const MfmaForm &F = *findMfma(Name);
    static Registers A, B, C;
    auto Start = std::chrono::steady_clock::now();
    for (unsigned N = 0; N != 20000; ++N)
      executeMfma(F, A.Word[0], B.Word[0], C.Word[0], C.Word[0], {});
    std::chrono::duration<double, std::nano> T = std::chrono::steady_clock::now() - Start;
    std::fprintf(stderr, "%s: %.0f ns\n", Name, T.count() / 20000);
  }
}
