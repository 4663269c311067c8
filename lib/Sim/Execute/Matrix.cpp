//===- Matrix.cpp - MFMA and SMFMAC ---------------------------------------===//

#include "../Mfma.h"
#include "Groups.h"
#include "Lanes.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

void runMatrix(Wave &W, const Inst &I) {
  const MfmaForm &Form = mfmaForms()[I.Op->Extra];
  MfmaModifiers Modifiers;
  Modifiers.Cbsz = I.Cbsz;
  Modifiers.Abid = I.Abid;
  Modifiers.Blgp = I.Blgp;
  if (W.L->Owner.processor() == "gfx950")
    Modifiers.Fp8 = Fp8Kind::Ocp;
  uint32_t *D = W.V[I.Dst];
  if (Form.Sparse) {
    executeMfma(Form, W.V[I.Src[0].Reg], W.V[I.Src[1].Reg], D, D, Modifiers, W.V[I.Src[2].Reg]);
    return;
  }
  if (I.Src[2].K == Operand::Vgpr) {
    executeMfma(Form, W.V[I.Src[0].Reg], W.V[I.Src[1].Reg], W.V[I.Src[2].Reg], D, Modifiers);
    return;
  }
  // C is a constant for every element.
  alignas(64) uint32_t C[64][NumLanes];
  uint64_t X = scalar64(W, I.Src[2]);
  for (unsigned R = 0; R != Form.cRegisters(); ++R)
    for (unsigned L = 0; L != NumLanes; ++L)
      C[R][L] = Form.isDouble() && R % 2 ? uint32_t(X >> 32) : uint32_t(X);
  executeMfma(Form, W.V[I.Src[0].Reg], W.V[I.Src[1].Reg], C[0], D, Modifiers);
}

} // namespace

void addMatrix(OpTable &Table) {
  Adder T(Table);
  using S = SourceType;
  for (unsigned N = 0; N != mfmaForms().size(); ++N) {
    const MfmaForm &Form = mfmaForms()[N];
    S C = Form.isDouble() ? S::F64 : Form.isInteger() ? S::B32 : Form.Sparse ? S::B32 : S::F32;
    for (const char *Name : {Form.Name, Form.OlderName}) {
      if (!Name)
        continue;
      OpInfo &Op = T.raw(("v_" + Twine(Name)).str(), runMatrix, InstClass::Mfma,
                         {S::Wide, S::Wide, C}, 0, Form.cRegisters());
      Op.Extra = N;
    }
  }
}

HK_SIM_END
