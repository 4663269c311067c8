//===- CoalesceOperands.cpp -----------------------------------------------===//
//
// What has to hold, and how it is found:
//
//   all work-items of a workgroup run the loop   its bounds are of parameters, and nothing but
//                                                the limits of their numbers keeps work-items
//                                                from it; lanes beyond the limits do what the
//                                                last work-item does, and store nothing, or
//                                                nothing at all where loops store
//   what is loaded is what work-items load       an operand is read in each step by each
//                                                work-item, whatever the data
//   it is the same when it is read               operands are not written, and overlap nothing
//                                                that is
//
// The order in which a work-item does its own steps stays, so results are the
// same bit for bit.
//
//===----------------------------------------------------------------------===//

#include "hk/Passes/CoalesceOperands.h"

#include "OperandLoops.h"
#include "hk/Passes/LaunchRanges.h"
#include "hk/Passes/LinesModel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};
/// Lanes of a tile along its columns, as hk::LoopTile has them.
constexpr unsigned TileWidth = 64;
/// Bytes of registers that a lane may keep for its work-items.
constexpr unsigned MostState = 256;

class OperandRewrite {
public:
  OperandRewrite(const KernelSource &S, const PassOptions &Opts,
                 const std::vector<Launch> &Launches)
      : S(S), B(S.Body), Opts(Opts), Launches(Launches), Ranges(S, /*ItemsAreDim3=*/true),
        Loops(S) {}
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const PassOptions &Opts;
  const std::vector<Launch> &Launches;
  LaunchRanges Ranges;
  unsigned Column = 0, Row = 1; ///< dimensions of lanes and of rows of them
  unsigned Each = 8;            ///< work-items a lane, of a large tile
  unsigned Steps = 32;          ///< of a part of a loop
  OperandLoops Loops;
  std::set<std::string> Conditions;

  unsigned rows() const { return blockSize(Opts) / TileWidth * Each; }
  double lines(const SourceAccess &A, unsigned D, double Lanes = WaveSize) const;
  double linesInTiles(const OperandLoops &In, unsigned AlongColumns) const;
  bool chooseSides(const std::array<bool, 3> &Used);
  unsigned lds() const;
  bool chooseSizes(Declined &Why);
  bool checkIndices(Declined &Why);
  std::string tileText(bool Large) const;
  std::string objectOf(const Operand &O) const;
  std::vector<TextEdit> edits(const LoopWithOperands *L) const;
  std::string operandText(const Operand &O) const;
  std::string loopText(const LoopWithOperands &L) const;
};

/// Lines of all its iterations a wavefront, with \p Lanes of its lanes along \p D.
double OperandRewrite::lines(const SourceAccess &A, unsigned D, double Lanes) const {
  return linesOf(A, A.Index ? S.slope(*A.Index, D) : std::nullopt, Lanes);
}

/// Those of the whole kernel: a row of a large tile is a wavefront, and all have what it loads.
double OperandRewrite::linesInTiles(const OperandLoops &In, unsigned AlongColumns) const {
  double Sum = 0;
  for (const SourceAccess &A : S.Accesses)
    if (!In.isOperand(A))
      Sum += lines(A, AlongColumns);
  for (const LoopWithOperands &L : In.Loops)
    for (const Operand &O : L.Operands)
      Sum += 16.0 *
             std::max(1.0, double((O.Dimension == AlongColumns ? TileWidth : rows()) * O.Bytes) /
                               LineBytes) /
             rows();
  return Sum;
}

/// Which dimension lanes run along, and which rows of them: with the fewest lines.
bool OperandRewrite::chooseSides(const std::array<bool, 3> &Used) {
  std::optional<OperandLoops> Best;
  double Fewest = 0;
  for (unsigned D = 0; D != 3; ++D)
    for (unsigned E = 0; E != 3; ++E) {
      if (D == E || !Used[D] || !Used[E])
        continue;
      OperandLoops Own = Loops;
      if (!Own.settle(D, E))
        continue;
      const double Lines = linesInTiles(Own, D);
      if (Best && Lines >= Fewest)
        continue;
      Best = std::move(Own);
      Fewest = Lines;
      Column = D;
      Row = E;
    }
  if (Best)
    Loops = std::move(*Best);
  return Best.has_value();
}

/// Bytes that the large tiles take.
unsigned OperandRewrite::lds() const {
  unsigned Sum = 0;
  for (const LoopWithOperands &L : Loops.Loops)
    for (const Operand &O : L.Operands) {
      const bool ByColumn = O.Dimension == Column;
      const unsigned Pad = ByColumn && O.StepsAreNeighbours ? std::max(1u, 4 / O.Bytes) : 0;
      Sum += ByColumn ? Steps * (TileWidth + Pad) * O.Bytes : Steps * rows() * O.Bytes;
    }
  return Sum;
}

/// Steps that make whole lines of each operand; fewer, and fewer work-items a lane, where LDS or
/// registers are short.
bool OperandRewrite::chooseSizes(Declined &Why) {
  unsigned Least = 8;
  for (const LoopWithOperands &L : Loops.Loops)
    for (const Operand &O : L.Operands)
      Least = std::min(Least, O.Bytes);
  Steps = LineBytes / Least;
  while (Each > 1 && Each * Loops.stateBytes() > MostState)
    Each /= 2;
  while (Steps > 16 && wavesWith(Opts, blockSize(Opts), lds()) < FewestWaves)
    Steps /= 2;
  const unsigned Waves = wavesWith(Opts, blockSize(Opts), lds());
  if (Waves >= FewestWaves)
    return true;
  Why = {"occupancy stays high enough",
         "with tiles of " + std::to_string(lds()) + " bytes, a compute unit would hold " +
             wavesText(Waves),
         S.K.Place};
  return false;
}

/// Indices of 32 bits without sign have to stay below 2^31, which the launcher looks at.
bool OperandRewrite::checkIndices(Declined &Why) {
  for (const LoopWithOperands &L : Loops.Loops)
    for (const Operand &O : L.Operands) {
      if (!O.IsUnsigned32)
        continue;
      std::string Reason;
      const BodyNode *At = nullptr;
      if (!Ranges.add(O.Root, Reason, At)) {
        Why = {"indices do not wrap in 32 bits", Reason, At ? At->Place : S.K.Place};
        return false;
      }
      Conditions.insert("hk::isSome(" + Ranges.nameFor(O.Root) + ")");
    }
  return true;
}

std::string OperandRewrite::tileText(bool Large) const {
  const unsigned Threads = blockSize(Opts);
  const std::string Dims = std::to_string(Column) + ", " + std::to_string(Row) + ", " +
                           std::to_string(Steps),
                    Size = Threads == 256 ? "" : ", " + std::to_string(Threads);
  if (Large && Each != 8)
    return "hk::LoopTile<" + Dims + ", " + std::to_string(Each) + Size + ">";
  return (Large ? "hk::LargeLoopTile<" : "hk::SmallLoopTile<") + Dims + Size + ">";
}

/// The name of its tile: hk_a_tile; hk_a_tile2 of the second behind that parameter.
std::string OperandRewrite::objectOf(const Operand &O) const {
  return "hk_" + B.Variables[O.Root].Name + "_tile" +
         (O.Number ? std::to_string(O.Number + 1) : "");
}

/// Work-items' numbers, and in a loop the reads of its operands.
std::vector<TextEdit> OperandRewrite::edits(const LoopWithOperands *L) const {
  std::vector<TextEdit> Edits;
  if (L)
    for (const Operand &O : L->Operands)
      for (const SourceAccess *A : O.Reads)
        Edits.push_back({A->Node->Begin, A->Node->End, objectOf(O) + "(hk_own, hk_step)"});
  addItemEdits(S, Edits);
  return Edits;
}

/// The declaration of its tile.
std::string OperandRewrite::operandText(const Operand &O) const {
  const std::string Object = objectOf(O), Name = B.Variables[O.Root].Name,
                    Type = "hk_TileOf_" + Name + Object.substr(Name.size() + 8);
  const Polynomial &Slice = O.ByItem[3 - Column - Row];
  std::string Start = O.Rest.empty() ? "" : parameterText(S, O.Rest, "");
  if (!Slice.empty())
    Start += (Start.empty() ? "" : " + ") + parameterText(S, Slice, "hk_Tile::slice()");
  return "  using " + Type + " = hk::OperandTile<" + O.Reads[0]->Node->Type.Text + ", hk_Tile, " +
         std::to_string(O.Dimension) +
         ", hk::Neighbours::" + (O.StepsAreNeighbours ? "Steps" : "Items") +
         ">;\n  __shared__ typename " + Type + "::Memory " + Object + "_memory;\n  const " + Type +
         " " + Object + "(" + Object + "_memory, " + Name +
         (Start.empty() ? "" : " + (" + Start + ")") + ", " + parameterText(S, O.Pitch, "") +
         ", hk_limits." + Axis[O.Dimension] + ");\n";
}

/// The parameters of a function that does \p Text for one work-item: names only for those it uses.
static std::string parametersFor(const std::string &Text) {
  return std::string(StringRef(Text).contains("hk_own") ? "int hk_own" : "int") +
         (StringRef(Text).contains("hk_at") ? ", uint3 hk_at" : ", uint3");
}

/// The loop, by parts of hk_Tile::Steps steps.
std::string OperandRewrite::loopText(const LoopWithOperands &L) const {
  std::string Text = "  for (long long hk_first = " + parameterText(S, L.From, "") +
                     ", hk_end = " + parameterText(S, L.End, "") +
                     "; hk_first < hk_end; hk_first += hk_Tile::Steps) {\n"
                     "    const int hk_count = hk_Tile::stepsFrom(hk_first, hk_end);\n";
  for (const Operand &O : L.Operands)
    Text += "    " + objectOf(O) + ".load(hk_first, hk_count);\n";
  const std::string Step = Loops.stepText(L, edits(&L), 6);
  return Text +
         "    hk::sync::lds();\n"
         "    hk_Tile::eachStep" +
         (Loops.StoresEarly ? "Inside" : "") + "(hk_count, hk_limits, [&](int hk_step, " +
         parametersFor(Step) + ") {\n" + Step + "    });\n    hk::sync::lds();\n  }\n";
}

std::variant<KernelVersion, Declined> OperandRewrite::run() {
  if (std::optional<Declined> Why = declineTemplate(S))
    return *Why;
  std::variant<std::array<bool, 3>, Declined> Movable = movableWorkItems(S);
  if (auto *Why = std::get_if<Declined>(&Movable))
    return *Why;
  const std::array<bool, 3> Used = std::get<0>(Movable);
  Declined Why;
  if (Used[0] + Used[1] + Used[2] < 2 || !Loops.find(Conditions, Why) || !chooseSides(Used))
    return Why;
  const double Lanes = Used[0] && !S.OnlyBlocks[0] ? lanesAlongX(Launches) : WaveSize;
  double Now = 0;
  for (const SourceAccess &A : S.Accesses)
    Now += lines(A, 0, Lanes);
  if (linesInTiles(Loops, Column) * 1.5 > Now)
    return Declined{};
  for (const BodyNode *N : S.Items)
    if (StringRef(S.form(*N)->begin()->first[0]).starts_with("items."))
      return Declined{"each work-item does one element", "it goes on by as many as there are",
                      N->Place};
  if (!Loops.split(Why) || !chooseSizes(Why) || !checkIndices(Why))
    return Why;

  KernelVersion V;
  V.Rule = "coalesce-operands";
  V.Includes = {"hk/guard.h", "hk/operand_tiles.h"};
  guardDimensions(S, Used, V);
  V.Params = "dim3 hk_limits";
  V.Template = "class hk_Tile";
  V.Threads = "hk_Tile::Threads";
  if (std::optional<Declined> Overlap = separateRoots(S, Opts, Ranges, V))
    return *Overlap;
  append_range(V.Guards, Loops.Limits.Conditions);
  append_range(V.Guards, Conditions);
  append_range(V.Guards, Ranges.conditions());
  append_range(V.Setup, Ranges.setup());
  V.Setup.push_back("const dim3 hk_limits = hk::limits(hk_items, " + limitOn(S, Loops.Limits, 0) +
                    ", " + limitOn(S, Loops.Limits, 1) + ", " + limitOn(S, Loops.Limits, 2) + ");");
  const std::string Large = tileText(true), Small = tileText(false);
  V.Guards.push_back("hk::fits<" + Small + ">(hk_limits)");
  V.Launch = "hk::launchLoopTiles<" + Large + ", " + Small + ">(hk_limits, hk_stream, @<" + Large +
             ">, @<" + Small + ">, $, hk_limits);";
  V.Comment = "/// " + B.Name + " with tiles of its operands in LDS.\n";

  std::vector<std::string> Names;
  for (const LoopWithOperands &L : Loops.Loops)
    for (const Operand &O : L.Operands) {
      V.Prologue += operandText(O);
      const std::string Name = "'" + B.Variables[O.Root].Name + "'";
      if (!is_contained(Names, Name))
        Names.push_back(Name);
    }
  V.Prologue += Loops.stateText();
  for (size_t N = 0; N != Loops.Segments.size(); ++N) {
    const LoopSegment &Part = Loops.Segments[N];
    if (Part.Loop >= 0) {
      V.Prologue += loopText(Loops.Loops[Part.Loop]);
      continue;
    }
    const std::string Text = Loops.segmentText(N, edits(nullptr), 4);
    if (!Text.empty())
      V.Prologue += std::string("  hk_Tile::") +
                    (N + 1 == Loops.Segments.size() || Loops.StoresEarly ? "eachInside" : "each") +
                    "(hk_limits, [&](" + parametersFor(Text) + ") {\n" + Text + "  });\n";
  }
  // Limits and the like may have been all that a parameter was for.
  std::string Unused;
  for (const BodyVariable &Parameter : B.Variables)
    if (Parameter.Parameter >= 0 && !namesWord(V.Prologue, Parameter.Name))
      Unused += "  (void)" + Parameter.Name + ";\n";
  V.Prologue = Unused + V.Prologue;
  V.Edits.push_back({B.BodyBegin + 1, B.End - 1, ""}); // all of it is in the prologue
  V.Message = "a workgroup loads what a tile of work-items reads of " + join(Names, " and ") +
              " once, a part of the loop at a time, in whole lines, and keeps it in LDS";
  V.Obligations.push_back(
      {"all work-items of a workgroup run the loop, and read its operands in each step",
       ObligationState::Proved,
       "its bounds are of parameters, and only the limits of their numbers keep work-items away"});
  V.Obligations.push_back({"what is loaded early is the same later", ObligationState::Proved,
                           "operands are not written"});
  V.Obligations.push_back(
      {"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
  V.Effects.push_back({"128-byte lines a wavefront", Now, linesInTiles(Loops, Column)});
  return V;
}

} // namespace

std::variant<KernelVersion, Declined> hk::shareOperands(const KernelSource &S,
                                                        const PassOptions &Opts,
                                                        const std::vector<Launch> &Launches) {
  return OperandRewrite(S, Opts, Launches).run();
}
