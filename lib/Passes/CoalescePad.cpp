//===- CoalescePad.cpp ----------------------------------------------------===//
//
// LDS has 32 banks of four bytes (CDNA3 ISA, "Local Data Share"). Lanes that go
// down a column of a tile are a row apart: on as many banks as the row's words
// leave, 32 / gcd(words, 32). A word more in each row makes that 32.
//
//===----------------------------------------------------------------------===//

#include "hk/Passes/CoalescePad.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;
using namespace hk;

namespace {

constexpr uint64_t Banks = 32, BankBytes = 4;
constexpr uint64_t LdsBytes = 64 * 1024; ///< of a workgroup on gfx942

struct TileUse {
  const BodyNode *Row, *Column;
};

/// All uses of \p Variable, if each names a row and a column.
std::optional<std::vector<TileUse>> usesOf(unsigned Variable, const KernelBody &B) {
  std::vector<TileUse> Uses;
  unsigned References = 0;
  visit(*B.Root, [&](const BodyNode &N) {
    References += N.Kind == NodeKind::Reference && N.Variable == Variable;
    if (N.Kind == NodeKind::Subscript && N.child(0)->Kind == NodeKind::Subscript &&
        N.child(0)->child(0)->Kind == NodeKind::Reference &&
        N.child(0)->child(0)->Variable == Variable && N.Type.Kind != ValueType::Array)
      Uses.push_back({N.child(0)->child(1), N.child(1)});
    return true;
  });
  if (Uses.empty() || Uses.size() != References)
    return std::nullopt;
  return Uses;
}

} // namespace

std::vector<Proposal> hk::padTiles(const KernelSource &S, const PassOptions &Opts) {
  std::vector<Proposal> Out;
  const KernelBody &B = S.Body;
  if (!B.Root)
    return Out;
  uint64_t Lds = 0;
  for (const BodyVariable &V : B.Variables)
    if (V.IsShared)
      Lds += V.Type.Bytes;
  for (unsigned I = 0; I != B.Variables.size(); ++I) {
    const BodyVariable &V = B.Variables[I];
    if (!V.IsShared || V.Type.Kind != ValueType::Array || !V.Type.Elements ||
        V.Pointee.Kind != ValueType::Array || !V.Pointee.Elements)
      continue;
    const uint64_t Bytes = V.Pointee.Bytes / V.Pointee.Elements, Row = V.Pointee.Bytes;
    const BodyNode *Declared = nullptr;
    visit(*B.Root, [&](const BodyNode &N) {
      if (N.Kind == NodeKind::Declare && N.Variable == I)
        Declared = &N;
      return true;
    });
    std::optional<std::vector<TileUse>> Uses = usesOf(I, B);
    if (Row % BankBytes || !Declared || !Uses) // without uses: it is a pointer somewhere
      continue;
    const uint64_t Conflict = std::gcd(Row / BankBytes, Banks);
    auto Lane = [&](const BodyNode &E) -> std::optional<int64_t> {
      std::optional<Polynomial> P = S.form(E);
      if (!P)
        return std::nullopt;
      return numberOf(coefficientOf(*P, "threadIdx.x"));
    };
    bool Columns = false;
    for (const TileUse &U : *Uses)
      Columns |= Lane(*U.Row) && std::abs(*Lane(*U.Row)) == 1 && Lane(*U.Column) == 0;
    if (!Columns || Conflict < 4)
      continue;
    const uint64_t Pad = Bytes < BankBytes ? BankBytes / Bytes : 1;
    Proposal P;
    P.Pass = "coalesce";
    P.Rule = "coalesce-pad";
    P.Place = Declared->Place;
    P.Function = S.K.Name;
    P.Message = "lanes that go down a column of '" + V.Name + "' are on " +
                std::to_string(Banks / Conflict) + " of 32 banks; rows become " +
                std::to_string(Pad * Bytes) + " bytes longer";
    auto Fail = [&](const std::string &Text, const std::string &How) {
      P.Result = Outcome::Declined;
      P.Obligations.push_back({Text, ObligationState::Failed, How});
      Out.push_back(P);
    };
    // The declaration ends in the bracket of its last dimension.
    StringRef Text = StringRef(B.Text).slice(Declared->Begin, Declared->End);
    if (!Declared->Spelled || !Text.ends_with("]")) {
      Fail("the declaration can be changed", "a macro makes part of it");
      continue;
    }
    if (StringRef(B.Text).slice(B.BodyBegin, B.End).contains("sizeof")) {
      Fail("nothing depends on the size of the tile", "the kernel uses sizeof");
      continue;
    }
    if (S.K.InHeader && !Opts.EditHeaders) {
      Fail("the tile is in the main file",
           "headers are changed as overlay copies (--out-dir) or by -i --headers only");
      continue;
    }
    if (S.K.BodyHasConditionals && !Opts.AssumeConfiguration) {
      Fail("the kernel's text reads the same in every configuration", "it has #if lines");
      continue;
    }
    const uint64_t More = V.Type.Elements * Pad * Bytes;
    if (Lds + More > LdsBytes) {
      Fail("the tile fits into LDS",
           std::to_string(Lds + More) + " bytes are more than " + std::to_string(LdsBytes));
      continue;
    }
    Lds += More;
    P.Obligations.push_back({"all uses of the tile name a row and a column",
                             ObligationState::Proved, std::to_string(Uses->size()) + " uses do"});
    P.Effects.push_back({"lanes on a bank, for a column", double(2 * Conflict), 2});
    P.Edits.push_back({{B.File, Declared->End - 1, 0}, " + " + std::to_string(Pad)});
    Out.push_back(std::move(P));
  }
  return Out;
}
