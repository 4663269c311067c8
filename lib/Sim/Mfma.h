//===- Mfma.h - Matrix instructions ---------------------------------------===//
//
// Every MFMA and SMFMAC of gfx90a and gfx942 is one row of a table. Where an element lives follows
// from the row: lanes run through a tile's rows (columns for B), then blocks, then the next
// elements of K; the accumulator holds four rows a lane group, as executeMfma says. EXEC plays no
// part.
//
// In which order the chip adds up is not documented. Here each element of D starts from C and takes
// the products in the order of K, each step rounded to f32; fp8, f16 and bf16 products are exact.
//
//===----------------------------------------------------------------------===//

#ifndef HK_LIB_SIM_MFMA_H
#define HK_LIB_SIM_MFMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace hk::sim {

enum class MatrixType : uint8_t { F64, F32, XF32, F16, BF16, I8, Fp8, Bf8 };

struct MfmaForm {
  /// As of gfx942, without the "v_"; and gfx90a's spelling, or null.
  const char *Name, *OlderName;
  MatrixType A, B;
  /// Tile is both M and N.
  uint8_t Tile, Blocks;
  uint8_t AElements; // a lane holds; for B twice as many if sparse
  bool Sparse;
  /// Of the matrix core, for one wavefront; gfx90a's differ in some.
  uint8_t Cycles, OlderCycles;

  bool isDouble() const { return A == MatrixType::F64; }
  bool isInteger() const { return A == MatrixType::I8; }
  unsigned bElements() const { return Sparse ? 2 * AElements : AElements; }
  unsigned lanesOfK() const { return 64 / (Tile * Blocks); }
  /// The dense K.
  unsigned k() const { return bElements() * lanesOfK(); }
  unsigned accumulators() const { return Tile * Tile * Blocks / 64; }
  // In 32-bit registers.
  unsigned aRegisters() const;
  unsigned bRegisters() const;
  unsigned cRegisters() const { return accumulators() * (isDouble() ? 2 : 1); }
  /// Passes of the matrix core, 4 cycles each, as the compiler's hazard rules count.
  unsigned passes() const { return Cycles / 4; }
};

llvm::ArrayRef<MfmaForm> mfmaForms();
/// By mnemonic, or by the name of the machine instruction in any case and with any suffix of an
/// encoding ("V_MFMA_F32_32X32X8F16_gfx940_vcd"). Null if there is none.
const MfmaForm *findMfma(llvm::StringRef Name);

/// The 8-bit formats: gfx942's FNUZ, or OCP.
enum class Fp8Kind : uint8_t { Fnuz, Ocp };

struct MfmaModifiers {
  unsigned Cbsz = 0, Abid = 0, Blgp = 0;
  Fp8Kind Fp8 = Fp8Kind::Fnuz;
};

/// Registers are [register][lane]. \p D may be any of the sources. \p C of a sparse form is the
/// accumulator, which is D there, and \p Index its register of compression indices.
void executeMfma(const MfmaForm &Form, const uint32_t *A, const uint32_t *B, const uint32_t *C,
                 uint32_t *D, const MfmaModifiers &Modifiers, const uint32_t *Index = nullptr);

} // namespace hk::sim

#endif
