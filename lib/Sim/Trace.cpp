//===- Trace.cpp - Prints what instructions did ---------------------------===//

#include "Trace.h"

#include "OpTable.h"
#include "Program.h"
#include "Wave.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

void sim::traceInstruction(Wave &W, const Inst &I) {
  if (!I.Op)
    return;
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "wg " << W.Group->Linear << " wave " << W.Number << ' ' << format_hex(I.Pc, 14) << ' '
     << I.Op->Name;
  bool Scalar = I.Format <= Encoding::Smem || (I.Op->Flags & OpScalarDst);
  if (!(I.Op->Flags & OpNoDst)) {
    if (Scalar) {
      unsigned Dst = I.Format == Encoding::Vop3 || I.Format == Encoding::Vopc ? I.SDst : I.Dst;
      OS << " s" << Dst << " =";
      for (unsigned D = 0; D != std::max<unsigned>(I.DstDwords, 1) && D != 16; ++D)
        OS << ' ' << format_hex_no_prefix(W.S[Dst + D], 8);
    } else {
      for (unsigned D = 0; D != I.DstDwords && D != 4; ++D) {
        unsigned Row = I.Dst + D;
        OS << (D ? " | " : " ") << (Row < AccBase ? "v" : "a") << Row % AccBase << " =";
        for (unsigned L : {0, 1, 2, 63})
          OS << ' ' << format_hex_no_prefix(W.V[Row][L], 8);
      }
    }
  }
  OS << " exec " << format_hex_no_prefix(W.exec(), 16) << " scc " << W.Scc << '\n';
  errs() << Text;
}
