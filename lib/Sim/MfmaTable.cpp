//===- MfmaTable.cpp - The matrix instructions there are ------------------===//

#include "Mfma.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace hk::sim;

static constexpr MatrixType F64 = MatrixType::F64, F32 = MatrixType::F32, XF32 = MatrixType::XF32,
                            F16 = MatrixType::F16, BF16 = MatrixType::BF16, I8 = MatrixType::I8,
                            Fp8 = MatrixType::Fp8, Bf8 = MatrixType::Bf8;

// clang-format off
static const MfmaForm Forms[] = {
  // Name                      gfx90a's name           A     B     tile blocks elements sparse cycles
  {"mfma_f64_16x16x4_f64",     "mfma_f64_16x16x4f64",  F64,  F64,  16, 1,  1, false, 32, 32},
  {"mfma_f64_4x4x4_4b_f64",    "mfma_f64_4x4x4f64",    F64,  F64,   4, 4,  1, false, 16, 16},

  {"mfma_f32_32x32x1_2b_f32",  "mfma_f32_32x32x1f32",  F32,  F32,  32, 2,  1, false, 64, 64},
  {"mfma_f32_16x16x1_4b_f32",  "mfma_f32_16x16x1f32",  F32,  F32,  16, 4,  1, false, 32, 32},
  {"mfma_f32_4x4x1_16b_f32",   "mfma_f32_4x4x1f32",    F32,  F32,   4, 16, 1, false,  8,  8},
  {"mfma_f32_32x32x2_f32",     "mfma_f32_32x32x2f32",  F32,  F32,  32, 1,  1, false, 64, 64},
  {"mfma_f32_16x16x4_f32",     "mfma_f32_16x16x4f32",  F32,  F32,  16, 1,  1, false, 32, 32},
  {"mfma_f32_32x32x4_xf32",    nullptr,                XF32, XF32, 32, 1,  2, false, 32, 32},
  {"mfma_f32_16x16x8_xf32",    nullptr,                XF32, XF32, 16, 1,  2, false, 16, 16},

  {"mfma_f32_32x32x4_2b_f16",  "mfma_f32_32x32x4f16",  F16,  F16,  32, 2,  4, false, 64, 64},
  {"mfma_f32_16x16x4_4b_f16",  "mfma_f32_16x16x4f16",  F16,  F16,  16, 4,  4, false, 32, 32},
  {"mfma_f32_4x4x4_16b_f16",   "mfma_f32_4x4x4f16",    F16,  F16,   4, 16, 4, false,  8,  8},
  {"mfma_f32_32x32x8_f16",     "mfma_f32_32x32x8f16",  F16,  F16,  32, 1,  4, false, 32, 64},
  {"mfma_f32_16x16x16_f16",    "mfma_f32_16x16x16f16", F16,  F16,  16, 1,  4, false, 16, 32},

  {"mfma_f32_32x32x4_2b_bf16", "mfma_f32_32x32x4bf16_1k",  BF16, BF16, 32, 2,  4, false, 64, 64},
  {"mfma_f32_16x16x4_4b_bf16", "mfma_f32_16x16x4bf16_1k",  BF16, BF16, 16, 4,  4, false, 32, 32},
  {"mfma_f32_4x4x4_16b_bf16",  "mfma_f32_4x4x4bf16_1k",    BF16, BF16,  4, 16, 4, false,  8,  8},
  {"mfma_f32_32x32x8_bf16",    "mfma_f32_32x32x8bf16_1k",  BF16, BF16, 32, 1,  4, false, 32, 64},
  {"mfma_f32_16x16x16_bf16",   "mfma_f32_16x16x16bf16_1k", BF16, BF16, 16, 1,  4, false, 16, 32},
  // gfx90a only: two elements a lane.
  {"mfma_f32_32x32x2_2b_bf16", "mfma_f32_32x32x2bf16", BF16, BF16, 32, 2,  2, false, 64, 64},
  {"mfma_f32_16x16x2_4b_bf16", "mfma_f32_16x16x2bf16", BF16, BF16, 16, 4,  2, false, 32, 32},
  {"mfma_f32_4x4x2_16b_bf16",  "mfma_f32_4x4x2bf16",   BF16, BF16,  4, 16, 2, false,  8,  8},
  {"mfma_f32_32x32x4_1b_bf16", "mfma_f32_32x32x4bf16", BF16, BF16, 32, 1,  2, false, 64, 64},
  {"mfma_f32_16x16x8_bf16",    "mfma_f32_16x16x8bf16", BF16, BF16, 16, 1,  2, false, 32, 32},

  {"mfma_i32_32x32x4_2b_i8",   "mfma_i32_32x32x4i8",   I8,   I8,   32, 2,  4, false, 64, 64},
  {"mfma_i32_16x16x4_4b_i8",   "mfma_i32_16x16x4i8",   I8,   I8,   16, 4,  4, false, 32, 32},
  {"mfma_i32_4x4x4_16b_i8",    "mfma_i32_4x4x4i8",     I8,   I8,    4, 16, 4, false,  8,  8},
  {"mfma_i32_32x32x16_i8",     nullptr,                I8,   I8,   32, 1,  8, false, 32, 32},
  {"mfma_i32_16x16x32_i8",     nullptr,                I8,   I8,   16, 1,  8, false, 16, 16},
  {"mfma_i32_32x32x8_i8",      "mfma_i32_32x32x8i8",   I8,   I8,   32, 1,  4, false, 64, 64},
  {"mfma_i32_16x16x16_i8",     "mfma_i32_16x16x16i8",  I8,   I8,   16, 1,  4, false, 32, 32},

  {"mfma_f32_16x16x32_bf8_bf8", nullptr, Bf8, Bf8, 16, 1, 8, false, 16, 16},
  {"mfma_f32_16x16x32_bf8_fp8", nullptr, Bf8, Fp8, 16, 1, 8, false, 16, 16},
  {"mfma_f32_16x16x32_fp8_bf8", nullptr, Fp8, Bf8, 16, 1, 8, false, 16, 16},
  {"mfma_f32_16x16x32_fp8_fp8", nullptr, Fp8, Fp8, 16, 1, 8, false, 16, 16},
  {"mfma_f32_32x32x16_bf8_bf8", nullptr, Bf8, Bf8, 32, 1, 8, false, 32, 32},
  {"mfma_f32_32x32x16_bf8_fp8", nullptr, Bf8, Fp8, 32, 1, 8, false, 32, 32},
  {"mfma_f32_32x32x16_fp8_bf8", nullptr, Fp8, Bf8, 32, 1, 8, false, 32, 32},
  {"mfma_f32_32x32x16_fp8_fp8", nullptr, Fp8, Fp8, 32, 1, 8, false, 32, 32},

  // gfx950.
  {"mfma_f32_16x16x32_f16",    nullptr, F16,  F16,  16, 1, 8, false, 8,  8},
  {"mfma_f32_32x32x16_f16",    nullptr, F16,  F16,  32, 1, 8, false, 16, 16},
  {"mfma_f32_16x16x32_bf16",   nullptr, BF16, BF16, 16, 1, 8, false, 8,  8},
  {"mfma_f32_32x32x16_bf16",   nullptr, BF16, BF16, 32, 1, 8, false, 16, 16},
  {"mfma_i32_16x16x64_i8",     nullptr, I8,   I8,   16, 1, 16, false, 8,  8},
  {"mfma_i32_32x32x32_i8",     nullptr, I8,   I8,   32, 1, 16, false, 16, 16},

  {"smfmac_f32_16x16x32_f16",  nullptr, F16,  F16,  16, 1, 4, true, 16, 16},
  {"smfmac_f32_32x32x16_f16",  nullptr, F16,  F16,  32, 1, 4, true, 32, 32},
  {"smfmac_f32_16x16x32_bf16", nullptr, BF16, BF16, 16, 1, 4, true, 16, 16},
  {"smfmac_f32_32x32x16_bf16", nullptr, BF16, BF16, 32, 1, 4, true, 32, 32},
  {"smfmac_i32_16x16x64_i8",   nullptr, I8,   I8,   16, 1, 8, true, 16, 16},
  {"smfmac_i32_32x32x32_i8",   nullptr, I8,   I8,   32, 1, 8, true, 32, 32},
  {"smfmac_f32_16x16x64_bf8_bf8", nullptr, Bf8, Bf8, 16, 1, 8, true, 16, 16},
  {"smfmac_f32_16x16x64_bf8_fp8", nullptr, Bf8, Fp8, 16, 1, 8, true, 16, 16},
  {"smfmac_f32_16x16x64_fp8_bf8", nullptr, Fp8, Bf8, 16, 1, 8, true, 16, 16},
  {"smfmac_f32_16x16x64_fp8_fp8", nullptr, Fp8, Fp8, 16, 1, 8, true, 16, 16},
  {"smfmac_f32_32x32x32_bf8_bf8", nullptr, Bf8, Bf8, 32, 1, 8, true, 32, 32},
  {"smfmac_f32_32x32x32_bf8_fp8", nullptr, Bf8, Fp8, 32, 1, 8, true, 32, 32},
  {"smfmac_f32_32x32x32_fp8_bf8", nullptr, Fp8, Bf8, 32, 1, 8, true, 32, 32},
  {"smfmac_f32_32x32x32_fp8_fp8", nullptr, Fp8, Fp8, 32, 1, 8, true, 32, 32},
};
// clang-format on

ArrayRef<MfmaForm> hk::sim::mfmaForms() { return Forms; }

static unsigned bytesOf(MatrixType T) {
  switch (T) {
  case F64:
    return 8;
  case F32:
  case XF32:
    return 4;
  case F16:
  case BF16:
    return 2;
  default:
    return 1;
  }
}

unsigned MfmaForm::aRegisters() const { return AElements * bytesOf(A) / 4; }
unsigned MfmaForm::bRegisters() const { return bElements() * bytesOf(B) / 4; }

/// Spellings differ in underscores: the machine instruction is V_MFMA_F32_32X32X8F16 for what the
/// assembler calls v_mfma_f32_32x32x8_f16.
static SmallString<40> keyOf(StringRef Name) {
  SmallString<40> Key;
  Name.consume_front_insensitive("v_");
  for (char C : Name)
    if (C != '_')
      Key += toLower(C);
  return Key;
}

static StringMap<const MfmaForm *> makeIndex() {
  StringMap<const MfmaForm *> Index;
  // The older names last: of two forms that share a spelling, the one with that name today wins.
  for (const MfmaForm &F : Forms)
    Index.try_emplace(keyOf(F.Name), &F);
  for (const MfmaForm &F : Forms)
    if (F.OlderName)
      Index.try_emplace(keyOf(F.OlderName), &F);
  return Index;
}

const MfmaForm *hk::sim::findMfma(StringRef Name) {
  static const StringMap<const MfmaForm *> Index = makeIndex();
  bool Stripped = true;
  while (Stripped) {
    Stripped = false;
    for (StringRef Suffix :
         {"_vi", "_vcd", "_acd", "_vgprcd", "_mac", "_e64", "_gfx90a", "_gfx940"})
      Stripped |= Name.consume_back_insensitive(Suffix);
  }
  return Index.lookup(keyOf(Name));
}
