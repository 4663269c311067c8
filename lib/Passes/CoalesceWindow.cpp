//===- CoalesceWindow.cpp -------------------------------------------------===//

#include "hk/Passes/CoalesceWindow.h"

#include "StencilReads.h"
#include "hk/Passes/LinesModel.h"
#include "hk/Passes/Records.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace llvm;
using namespace hk;

namespace {

const char *const Axis[] = {"x", "y", "z"};
/// What launchers allow where the parameters say how far around reads go.
constexpr int64_t MostReach = 8;
/// Work-items of hk::LargeTile.
constexpr unsigned TileRows = 16, TileColumns = 128;

/// How far reads go along a dimension, from the work-item's own element.
struct Reach {
  int64_t Low = 0, High = 0;
  bool IsKnown = true; ///< else the launcher looks
};

/// An array that only is read, and what of it the window holds.
struct SharedArray {
  unsigned Root = 0;
  std::vector<StencilAccess> Reads; ///< those that are replaced
  std::array<Polynomial, 3> Stride;
  std::array<int64_t, 3> Origin{0, 0, 0}; ///< around which the offsets are written
  Reach Row, Column;
  std::string Ends[2]; ///< hk::Range of the offsets, where the launcher looks: rows, columns
  std::vector<std::string> Surely;  ///< each an hk::Range of elements that the launch reads
  std::vector<std::string> Perhaps; ///< of what it may read beside
  bool IsAll = true;                ///< Surely and Perhaps hold all of its reads
  double Before = 0, After = 0;
};

/// The range of all of \p Ranges, in lines behind \p Indent.
std::string hullText(const std::vector<std::string> &Ranges, const std::string &Indent) {
  if (Ranges.size() == 1)
    return Ranges[0];
  std::string Text;
  for (const std::string &R : Ranges)
    Text += (Text.empty() ? "hk::hull(" : ",\n" + Indent) + R;
  return Text + ")";
}

class WindowRewrite {
public:
  WindowRewrite(const KernelSource &S, const PassOptions &Opts, const std::vector<Launch> &Launches)
      : S(S), B(S.Body), Opts(Opts), Launches(Launches), Ranges(S, /*ItemsAreDim3=*/true) {}
  std::variant<KernelVersion, Declined> run();

private:
  const KernelSource &S;
  const KernelBody &B;
  const PassOptions &Opts;
  const std::vector<Launch> &Launches;
  LaunchRanges Ranges;
  std::array<bool, 3> Used{false, false, false};
  StencilDims Dims;
  std::set<std::string> Conditions;
  std::vector<SharedArray> Arrays;
  std::optional<WorkItemLimits> Limits;
  int64_t Shift = 0;                 ///< of tiles, so that what is stored starts at a line
  std::map<unsigned, Record> Stored; ///< several elements a work-item each, by parameter
  unsigned Lds = 0;                  ///< bytes that these and the windows take, for a large tile

  unsigned tileRows() const { return Dims.HasRows ? TileRows : 1; }
  unsigned tileColumns() const { return Dims.HasRows ? TileColumns : 4 * blockSize(Opts); }

  bool findDims();
  void findStored(KernelVersion &V);
  std::optional<SharedArray> arrayOf(unsigned Root, Declined &Why);
  bool reach(SharedArray &Array, unsigned D, Reach &Out, std::string &Ends, std::string &Why);
  std::optional<std::pair<int64_t, int64_t>> numbersOf(const Polynomial &Offset,
                                                       const SourceAccess &A) const;
  bool isSure(const StencilAccess &R, const PlaceBounds &Bounds);
  std::optional<std::string> likelyRange(const StencilAccess &R, const PlaceBounds &Bounds,
                                         std::string &Why);
  std::string places(unsigned D, const PlaceBounds &Bounds, const std::string &Offsets);
  std::string hostText(const Polynomial &P) const;
  std::string offsetText(Polynomial Offset, int64_t Origin) const;
  double lines(const SourceAccess &A, unsigned D, double Lanes = WaveSize) const;
  void writeWindow(const SharedArray &Array, KernelVersion &V, std::string &Arguments);
  void writeStored(KernelVersion &V) const;
  std::string tileText(bool Large) const;
};

/// \p P, of parameters, in the launcher: nothing in it wraps.
std::string WindowRewrite::hostText(const Polynomial &P) const {
  std::map<std::string, std::string> Names;
  for (const auto &[Factors, C] : P)
    for (const std::string &F : Factors)
      Names[F] = "hk::Range(" + B.Variables[*KernelSource::variableOf(F)].Name + ")";
  return LaunchRanges::hostText(S, P, Names);
}

/// An offset as people write it, with the terms that are added first.
std::string WindowRewrite::offsetText(Polynomial Offset, int64_t Origin) const {
  std::string Text;
  const int64_t Number = Offset[{}] - Origin;
  Offset.erase(std::vector<std::string>());
  for (int Sign : {1, -1})
    for (const auto &[Factors, C] : Offset) {
      if ((C < 0) != (Sign < 0))
        continue;
      const std::string Name = B.Variables[*KernelSource::variableOf(Factors[0])].Name;
      Text += (Text.empty() ? (C < 0 ? "-" : "") : (C < 0 ? " - " : " + ")) +
              (std::abs(C) == 1 ? Name : std::to_string(std::abs(C)) + " * " + Name);
    }
  if (Text.empty())
    return std::to_string(Number);
  return Number ? Text + (Number < 0 ? " - " : " + ") + std::to_string(std::abs(Number)) : Text;
}

/// Lines of all its iterations a wavefront, with \p Lanes of its lanes along \p D.
double WindowRewrite::lines(const SourceAccess &A, unsigned D, double Lanes) const {
  std::optional<Polynomial> Stride;
  if (A.Index && !S.isOpaque(*A.Index))
    Stride = coefficientOf(*A.Index, std::string("item.") + Axis[D]);
  return linesOf(A, Stride, Lanes);
}

/// The dimension with neighbours, and that with rows: by the arrays that only are read.
bool WindowRewrite::findDims() {
  for (unsigned D = 0; D != 3; ++D) {
    if (!Used[D])
      continue;
    for (const SourceAccess &A : S.Accesses) {
      if (A.Writes || !A.Index ||
          coefficientOf(*A.Index, std::string("item.") + Axis[D]) != Polynomial{{{}, 1}})
        continue;
      Dims = StencilDims{D, 3, 3, false, false};
      // Rows have a pitch of fewer factors than slices.
      size_t Fewest = ~size_t(0);
      for (unsigned E = 0; E != 3; ++E) {
        const Polynomial Stride = coefficientOf(*A.Index, std::string("item.") + Axis[E]);
        if (E == D || !Used[E] || Stride.empty())
          continue;
        size_t Factors = 0;
        for (const auto &[F, C] : Stride)
          Factors = std::max(Factors, F.size());
        if (Factors < Fewest)
          Fewest = Factors, Dims.Row = E;
      }
      Dims.HasRows = Dims.Row != 3;
      for (unsigned E = 0; E != 3; ++E)
        if (E != D && E != Dims.Row)
          (!Dims.HasRows && Dims.Row == 3 ? Dims.Row : Dims.Slice) = E;
      Dims.HasSlices = Used[Dims.Slice];
      return true;
    }
  }
  return false;
}

/// The numbers between which \p Offset lies, if they stand in the text.
std::optional<std::pair<int64_t, int64_t>> WindowRewrite::numbersOf(const Polynomial &Offset,
                                                                    const SourceAccess &A) const {
  int64_t Low = 0, High = 0;
  for (const auto &[Factors, C] : Offset) {
    if (std::abs(C) > 1024)
      return std::nullopt;
    if (Factors.empty()) {
      Low += C, High += C;
      continue;
    }
    bool Found = false;
    for (const BodyNode *For : A.Loops) {
      std::optional<CountedLoop> L = S.countedLoop(*For);
      if (!L || KernelSource::factorOf(L->Variable) != Factors[0])
        continue;
      std::optional<Polynomial> From = S.form(*L->From), To = S.form(*L->Bounds[0].To);
      std::optional<int64_t> First = From ? numberOf(*From) : std::nullopt,
                             Last = To ? numberOf(*To) : std::nullopt;
      if (!First || !Last || std::abs(*First) > 1024 || std::abs(*Last) > 1024)
        return std::nullopt;
      if (!L->Bounds[0].Inclusive)
        *Last += L->Down ? 1 : -1;
      if (L->Down)
        std::swap(*First, *Last);
      if (*Last < *First)
        return std::nullopt;
      Low += C * (C < 0 ? *Last : *First);
      High += C * (C < 0 ? *First : *Last);
      Found = true;
    }
    if (!Found)
      return std::nullopt;
  }
  return std::pair(Low, High);
}

/// How far the reads of \p Array go along \p D.
bool WindowRewrite::reach(SharedArray &Array, unsigned D, Reach &Out, std::string &Ends,
                          std::string &Why) {
  std::optional<std::pair<int64_t, int64_t>> All;
  for (const StencilAccess &R : Array.Reads) {
    auto Own = numbersOf(R.Offset[D], *R.A);
    if (!Own) {
      Out.IsKnown = false;
      break;
    }
    All = !All ? *Own
               : std::pair(std::min(All->first, Own->first), std::max(All->second, Own->second));
  }
  if (Out.IsKnown) {
    Array.Origin[D] = (All->first + All->second) >> 1;
    Out.Low = All->first - Array.Origin[D];
    Out.High = All->second - Array.Origin[D];
    return std::max(-Out.Low, Out.High) <= MostReach;
  }
  Out = {-MostReach, MostReach, false};
  for (const StencilAccess &R : Array.Reads) {
    std::optional<std::string> Own = Ranges.rangeOf(R.Offset[D], *R.A, Why);
    if (!Own)
      return false;
    Ends = Ends.empty() ? *Own : "hk::hull(" + Ends + ", " + *Own + ")";
  }
  return true;
}

/// Numbers of work-items along \p D, or with offsets in the range \p Offsets, that \p Bounds allow.
std::string WindowRewrite::places(unsigned D, const PlaceBounds &Bounds,
                                  const std::string &Offsets) {
  const bool Own = Offsets.empty();
  std::vector<std::string> Below, From;
  std::vector<Polynomial> BelowForms;
  int64_t First = 0;
  bool HasFirst = Own;
  for (const PlaceBound &Bound : Bounds.Known) {
    if (Bound.Dimension != D || Bound.WithOffset == Own)
      continue;
    if (Bound.Kind == PlaceBound::Below)
      BelowForms.push_back(Bound.With);
    std::optional<int64_t> Number = numberOf(Bound.With);
    if (Bound.Kind == PlaceBound::From && Number)
      First = HasFirst ? std::max(First, *Number) : *Number, HasFirst = true;
    else if (Bound.Kind == PlaceBound::From)
      From.push_back(hostText(Bound.With));
  }
  // What is not the first, or not the last.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const PlaceBound &Bound : Bounds.Known) {
      if (Bound.Dimension != D || Bound.WithOffset == Own || Bound.Kind != PlaceBound::Not)
        continue;
      if (std::optional<int64_t> Number = numberOf(Bound.With);
          Number && HasFirst && *Number == First)
        ++First, Changed = true;
      for (Polynomial &Limit : BelowForms)
        if (std::optional<Polynomial> Last = sum(Limit, {{{}, 1}}, -1); Last && *Last == Bound.With)
          Limit = *Last, Changed = true;
    }
  }
  for (const Polynomial &Limit : BelowForms)
    if (std::string Text = hostText(Limit); !is_contained(Below, Text))
      Below.push_back(Text);
  std::string Low, High;
  if (Own) {
    Low = std::to_string(First);
    High = std::string("hk::Range(hk_items.") + Axis[D] + ")";
  } else {
    // Work-items that are known to be some distance in.
    const std::string Items = places(D, Bounds, "");
    const std::string With = Items + (Offsets == "0"      ? ""
                                      : Offsets[0] == '-' ? " - " + Offsets.substr(1)
                                                          : " + " + Offsets);
    Low = HasFirst ? "hk::greatest(" + With + ", hk::Range(" + std::to_string(First) + "))" : With;
    High = With + " + 1";
  }
  for (const std::string &F : From)
    Low = "hk::greatest(hk::Range(" + Low + "), " + F + ")";
  for (const std::string &L : Below)
    High = "hk::least(" + High + ", " + L + ")";
  if (!Own && !HasFirst && From.empty() && Below.empty())
    return Low;
  return Ranges.declare((Own ? std::string("items_") : std::string("places_")) + Axis[D],
                        "hk::Range::between(" + Low + ", " + High + " - 1)");
}

/// Whether work-items get to each element between the first and the last that likelyRange() says:
/// all conditions are known, and loops around it run through all numbers of theirs.
bool WindowRewrite::isSure(const StencilAccess &R, const PlaceBounds &Bounds) {
  if (!Bounds.IsAll)
    return false;
  for (const PlaceBound &Bound : Bounds.Known)
    if (Bound.Kind == PlaceBound::Not || R.Stride[Bound.Dimension].empty())
      return false;
  for (const BodyNode *For : R.A->Loops) {
    std::optional<CountedLoop> L = S.countedLoop(*For);
    if (!L || L->Step || L->Bounds.size() != 1)
      return false;
    std::optional<Polynomial> From = S.form(*L->From), To = S.form(*L->Bounds[0].To);
    std::set<std::string> Needed;
    if (!From || !To || !isOfParameters(S, *From) || !isOfParameters(S, *To) ||
        !isNumber(S, *L->From, Needed) || !isNumber(S, *L->Bounds[0].To, Needed))
      return false;
    // A dimension of its own, so that all combinations happen.
    unsigned Times = 0;
    for (const Polynomial &Offset : R.Offset)
      for (const auto &[Factors, C] : Offset)
        if (Factors == std::vector<std::string>{KernelSource::factorOf(L->Variable)})
          Times += std::abs(C) == 1 ? 1 : 2;
    if (Times != 1)
      return false;
    Conditions.insert(Needed.begin(), Needed.end());
  }
  // Beside them there are numbers and parameters, and one counter a dimension.
  for (const Polynomial &Offset : R.Offset) {
    unsigned Counters = 0;
    for (const auto &[Factors, C] : Offset)
      Counters += !isOfParameters(S, {{Factors, C}});
    if (Counters > 1)
      return false;
  }
  return true;
}

/// A range that holds all elements which \p R reads.
std::optional<std::string> WindowRewrite::likelyRange(const StencilAccess &R,
                                                      const PlaceBounds &Bounds, std::string &Why) {
  std::string Sum;
  for (unsigned D : {Dims.Slice, Dims.Row, Dims.Column}) {
    if (R.Stride[D].empty())
      continue;
    std::optional<std::string> Offsets = Ranges.rangeOf(R.Offset[D], *R.A, Why);
    if (!Offsets)
      return std::nullopt;
    const std::string Place = places(D, Bounds, *Offsets);
    const std::string Stride = R.Stride[D] == Polynomial{{{}, 1}} ? "" : hostText(R.Stride[D]);
    Sum += (Sum.empty() ? "" : " + ") +
           (Stride.empty() ? Place
                           : (R.Stride[D].size() > 1 ? "(" + Stride + ")" : Stride) + " * " +
                                 (StringRef(Place).contains(' ') ? "(" + Place + ")" : Place));
  }
  return Sum;
}

std::optional<SharedArray> WindowRewrite::arrayOf(unsigned Root, Declined &Why) {
  SharedArray Out;
  Out.Root = Root;
  std::vector<StencilAccess> Others;
  for (const SourceAccess &A : S.Accesses) {
    if (A.Root != Root)
      continue;
    if (A.Writes)
      return std::nullopt;
    std::optional<StencilAccess> R = stencilAccess(S, A, Dims);
    const unsigned Bytes = A.Node->Type.Bytes;
    if (!R || !A.Member.empty() || A.Node->Type.Kind == ValueType::Struct || !A.Node->Spelled ||
        (Bytes & (Bytes - 1)) || Bytes > 16 || Bytes == 0 ||
        (!Out.Reads.empty() && R->Stride != Out.Stride)) {
      Out.IsAll = false;
      continue;
    }
    if (Out.Reads.empty())
      Out.Stride = R->Stride;
    // The window has one slice.
    (R->Offset[Dims.Slice].empty() ? Out.Reads : Others).push_back(*R);
  }
  if (Out.Reads.empty() || (Out.Reads.size() == 1 && Out.Reads[0].A->Loops.empty()))
    return std::nullopt; // nothing that work-items share
  std::string Reason;
  if (!reach(Out, Dims.Row, Out.Row, Out.Ends[0], Reason) ||
      !reach(Out, Dims.Column, Out.Column, Out.Ends[1], Reason)) {
    Why = {"elements that work-items share are near each other",
           Reason.empty() ? "they are not" : Reason, Out.Reads[0].A->Node->Place};
    return std::nullopt;
  }
  if (!Dims.HasRows && (Out.Row.Low || Out.Row.High))
    return std::nullopt;
  if (Out.Row.Low == Out.Row.High && Out.Column.Low == Out.Column.High)
    return std::nullopt; // each has its own
  for (const std::vector<StencilAccess> *Group : {&Out.Reads, &Others})
    for (const StencilAccess &R : *Group) {
      const PlaceBounds Bounds = placeBounds(S, R, Conditions);
      std::optional<std::string> Range = likelyRange(R, Bounds, Reason);
      if (!Range && Group == &Out.Reads) {
        Why = {"elements of a window can be loaded, wanted or not", Reason, R.A->Node->Place};
        return std::nullopt;
      }
      Out.IsAll &= Range.has_value();
      if (Range) {
        std::vector<std::string> &To = isSure(R, Bounds) ? Out.Surely : Out.Perhaps;
        if (!is_contained(To, *Range))
          To.push_back(*Range);
      }
    }
  if (Out.Surely.empty()) {
    Why = {"elements of a window can be loaded, wanted or not",
           "no read is known to happen in each work-item", Out.Reads[0].A->Node->Place};
    return std::nullopt;
  }
  // Lines of a large tile, for 64 work-items.
  const double Bytes = Out.Reads[0].A->Node->Type.Bytes, Fewest = std::max(1.0, 64 * Bytes / 128);
  const unsigned Rows = tileRows(), Columns = tileColumns();
  auto Around = [](const Reach &R) { return R.IsKnown ? R.High - R.Low : 4; };
  const double Whole = std::max(1.0, Columns * Bytes / 128);
  Out.After =
      (Rows + Around(Out.Row)) / Rows * (Whole + (Around(Out.Column) ? 2 : 0)) / Whole * Fewest;
  // The compiler loads an element once, however often the text has it; reads that start within a
  // line touch one more.
  std::set<std::pair<Polynomial, Polynomial>> Places;
  for (const StencilAccess &R : Out.Reads)
    if (Places.insert({R.Offset[Dims.Row], R.Offset[Dims.Column]}).second)
      Out.Before += lines(*R.A, Dims.Column) + (R.Offset[Dims.Column].empty() ? 0 : 1);
  return Out;
}

/// Arrays of which work-items only store several neighbours each.
void WindowRewrite::findStored(KernelVersion &V) {
  Limits = limitsOf(S);
  if (!Limits)
    return;
  std::set<unsigned> Roots;
  for (const SourceAccess &A : S.Accesses)
    if (A.Writes)
      Roots.insert(A.Root);
  for (unsigned Root : Roots) {
    std::vector<TextEdit> Edits;
    Declined Why;
    std::optional<Record> R = recordOf(S, Root, Dims.Column, Edits, Why);
    if (!R || R->Reads || R->IsStruct || R->Elements < 2)
      continue;
    const unsigned Own = tileRows() * tileColumns() * unsigned(R->Elements) * R->Bytes;
    if (wavesWith(Opts, blockSize(Opts), Lds + Own) < FewestWaves)
      continue;
    Lds += Own;
    append_range(V.Guards, Limits->Conditions);
    append_range(V.Edits, Edits);
    Stored[Root] = std::move(*R);
  }
}

/// The type of the tiles of many launches, or of few.
std::string WindowRewrite::tileText(bool Large) const {
  const unsigned Threads = blockSize(Opts);
  const char *Name = Dims.HasRows ? (Large ? "hk::LargeTile<" : "hk::SmallTile<")
                                  : (Large ? "hk::LongRow<" : "hk::ShortRow<");
  return Name + std::to_string(Dims.Column) + ", " + std::to_string(Dims.Row) +
         (Shift || Threads != 256 ? ", " + std::to_string(Threads) : "") +
         (Shift ? ", " + std::to_string(Shift) : "") + ">";
}

/// The window of \p Array: what the launcher checks and passes to it (\p Arguments), its
/// declaration, and the reads that it replaces.
void WindowRewrite::writeWindow(const SharedArray &Array, KernelVersion &V,
                                std::string &Arguments) {
  const std::string Name = B.Variables[Array.Root].Name, Own = "hk_" + Name;
  const std::string Known = hullText(Array.Surely, "      ");
  const std::string Surely = Array.IsAll
                                 ? (Ranges.set(Array.Root, Known), Ranges.nameFor(Array.Root))
                                 : Ranges.declare(Name + "_read", Known);
  V.Guards.push_back("hk::isSome(" + Surely + ")");
  if (!Array.Perhaps.empty())
    V.Guards.push_back("hk::holds(" + Surely + ", " + hullText(Array.Perhaps, "          ") + ")");
  // How far around the tile: where the text does not say it, the launcher does.
  std::string Around[2];
  const Reach *const Reaches[] = {&Array.Row, &Array.Column};
  const char *const Suffix[] = {"_rows", "_columns"};
  for (unsigned I : {0u, 1u}) {
    if (Reaches[I]->IsKnown) {
      Around[I] = std::to_string(std::max(-Reaches[I]->Low, Reaches[I]->High));
      continue;
    }
    const std::string Ends = Ranges.declare(Name + Suffix[I], Array.Ends[I]);
    V.Guards.push_back("hk::holds(hk::Range::between(" + std::to_string(-MostReach) + ", " +
                       std::to_string(MostReach) + "), " + Ends + ")");
    Around[I] = Own + Suffix[I];
    V.Params += ", int " + Around[I];
    Arguments += ", hk::reach(" + Ends + ")";
  }
  std::string Load;
  if (!Array.Column.IsKnown)
    Load = Around[0] + ", " + Around[1];
  else if (!Array.Row.IsKnown)
    Load = Around[0];
  V.Params += ", hk::Elements " + Own + "_known";
  Arguments += ", hk::elementsOf(" + Surely + ")";

  const int64_t Row = Array.Origin[Dims.Row], Column = Array.Origin[Dims.Column];
  std::string Start;
  if (Row)
    Start = parameterText(S, Array.Stride[Dims.Row], Row == 1 ? "" : std::to_string(Row));
  if (Dims.HasSlices)
    Start += (Start.empty() ? "" : " + ") +
             parameterText(S, Array.Stride[Dims.Slice], "hk_Tile::slice()");
  if (Column && !Start.empty())
    Start += (Column < 0 ? " - " : " + ") + std::to_string(std::abs(Column));
  else if (Start.empty())
    Start = std::to_string(Column);
  const std::string Type = "hk_WindowOf_" + Name;
  V.Prologue += "  using " + Type + " = hk::Window<" + Array.Reads[0].A->Node->Type.Text +
                ", hk_Tile, " + std::to_string(-Array.Row.Low) + ", " +
                std::to_string(Array.Row.High) + ", " + std::to_string(-Array.Column.Low) + ", " +
                std::to_string(Array.Column.High) + ">;\n  __shared__ typename " + Type +
                "::Memory " + Own + "_memory;\n  const " + Type + " " + Own + "_window(" + Own +
                "_memory, " + Name + ", " + Own + "_known, " +
                (Dims.HasRows ? parameterText(S, Array.Stride[Dims.Row], "") : "0") + ", " + Start +
                ");\n  " + Own + "_window.load(" + Load + ");\n";
  for (const StencilAccess &R : Array.Reads)
    V.Edits.push_back({R.A->Node->Begin, R.A->Node->End,
                       Own + "(" + offsetText(R.Offset[Dims.Row], Row) + ", " +
                           offsetText(R.Offset[Dims.Column], Column) + ")"});
}

/// What is stored by way of LDS: its declaration, and the stores behind the work-items.
void WindowRewrite::writeStored(KernelVersion &V) const {
  if (Stored.empty())
    return;
  auto Limit = [&](unsigned D) { return D < 3 && Used[D] ? limitText(S, *Limits, D) : "1"; };
  std::string Names;
  V.Epilogue += "  hk::sync::lds();\n";
  for (const auto &[Root, R] : Stored) {
    const std::string Name = B.Variables[Root].Name, Type = "hk_RecordsOf_" + Name;
    V.Prologue += "  using " + Type + " = hk::TileRecords<" + R.Type + ", hk_Tile, " +
                  std::to_string(R.Elements) + ">;\n  __shared__ typename " + Type +
                  "::Memory hk_" + Name + "_memory;\n  const " + Type + " hk_" + Name +
                  "_records(hk_" + Name + "_memory);\n";
    V.Epilogue += "  hk_" + Name + "_records.store(" + Limit(Dims.Column) + ", " + Limit(Dims.Row) +
                  ", " + Limit(Dims.Slice) + ",\n      [&](uint3 hk_at) { return " + Name + " + " +
                  (R.Base.empty() ? "" : R.Base + " + ") + "(ptrdiff_t)hk_at." + Axis[Dims.Column] +
                  " * " + std::to_string(R.Elements) + "; });\n";
    Names += (Names.empty() ? "'" : ", '") + Name + "'";
  }
  V.Message += "; " + Names + " is stored by way of LDS, too";
  V.Obligations.push_back(
      {"each work-item stores all of a record of its own", ObligationState::Proved,
       "indices are a record's size times its number, and an element below that"});
}

std::variant<KernelVersion, Declined> WindowRewrite::run() {
  if (std::optional<Declined> Why = declineTemplate(S))
    return *Why;
  std::variant<std::array<bool, 3>, Declined> Movable = movableWorkItems(S);
  if (auto *Why = std::get_if<Declined>(&Movable))
    return *Why;
  Used = std::get<0>(Movable);
  if (!findDims())
    return Declined{};
  std::set<unsigned> Roots;
  for (const SourceAccess &A : S.Accesses)
    Roots.insert(A.Root);
  Declined First;
  for (unsigned Root : Roots) {
    Declined Why;
    std::optional<SharedArray> Array = arrayOf(Root, Why);
    if (!Array || Array->Before < 2 * Array->After) {
      if (First.Why.empty())
        First = Why;
      continue;
    }
    const unsigned Own = unsigned(tileRows() + Array->Row.High - Array->Row.Low) *
                         unsigned(tileColumns() + Array->Column.High - Array->Column.Low) *
                         Array->Reads[0].A->Node->Type.Bytes;
    if (const unsigned Waves = wavesWith(Opts, blockSize(Opts), Lds + Own); Waves < FewestWaves) {
      First = {"occupancy stays high enough",
               "with the window of '" + B.Variables[Root].Name + "', of " + std::to_string(Own) +
                   " bytes, a compute unit would hold " + wavesText(Waves),
               Array->Reads[0].A->Node->Place};
      continue;
    }
    Lds += Own;
    Arrays.push_back(std::move(*Array));
  }
  if (Arrays.empty())
    return First;

  KernelVersion V;
  V.Rule = "coalesce-window";
  V.Includes = {"hk/guard.h", "hk/window.h"};
  guardDimensions(S, Used, V);
  findStored(V);
  const double Lanes = Used[0] && !S.OnlyBlocks[0] ? lanesAlongX(Launches) : WaveSize;
  double Now = 0, After = 0;
  for (const SourceAccess &A : S.Accesses) {
    Now += lines(A, 0, Lanes);
    if (!Stored.count(A.Root) && none_of(Arrays, [&](const SharedArray &Array) {
          return any_of(Array.Reads, [&](const StencilAccess &R) { return R.A == &A; });
        }))
      After += lines(A, Dims.Column);
  }
  for (const auto &[Root, R] : Stored)
    After += double(R.Elements * R.Bytes) * WaveSize / LineBytes;
  for (const SharedArray &Array : Arrays)
    After += Array.After;
  if (After * 1.3 > Now)
    return Declined{};
  // Kernels that reach neighbours already have what loops read in the caches: measured, LDS cost
  // them more instructions than it saved.
  if (Dims.Column == 0 && lanesAlongX(Launches) >= WaveSize)
    for (const SharedArray &Array : Arrays)
      for (const StencilAccess &R : Array.Reads)
        if (!R.A->Loops.empty())
          return Declined{"LDS gains over the caches",
                          "neighbours are read in a loop, along x already", R.A->Node->Place};

  for (const SourceAccess &A : S.Accesses)
    if (A.Writes)
      if (std::optional<StencilAccess> W = stencilAccess(S, A, Dims))
        if (std::optional<int64_t> Number = numberOf(W->Offset[Dims.Column]); Number && *Number > 0)
          Shift = *Number % std::max(1u, LineBytes / std::max(1u, A.Node->Type.Bytes));
  const std::string Large = tileText(true), Small = tileText(false);
  V.Template = "class hk_Tile";
  V.Threads = "hk_Tile::Threads";
  V.Guards.push_back("hk::fits<" + Small + ">(hk_items)");
  std::string Names, Arguments, Around;
  for (const SharedArray &Array : Arrays) {
    const std::string Name = B.Variables[Array.Root].Name;
    writeWindow(Array, V, Arguments);
    Names += (Names.empty() ? "'" : ", '") + Name + "'";
    Around += "    const auto hk_" + Name + " = hk_" + Name + "_window.around(hk_at);\n";
  }
  if (std::optional<Declined> Overlap = separateRoots(S, Opts, Ranges, V))
    return *Overlap;
  append_range(V.Guards, Conditions);
  append_range(V.Guards, Ranges.conditions());
  append_range(V.Setup, Ranges.setup());
  V.Message = "a workgroup loads what a tile of work-items reads of " + Names +
              " once, in whole lines, and keeps it in LDS";
  V.Epilogue = "  });\n";
  writeStored(V);
  V.Prologue += "  hk::sync::lds();\n  hk_Tile::each(hk_items, [&](uint3 hk_at) {\n" + Around;
  for (const auto &[Root, R] : Stored) {
    const std::string Name = B.Variables[Root].Name;
    V.Prologue +=
        "    " + R.Type + " *const hk_" + Name + " = hk_" + Name + "_records.own(hk_at);\n";
  }
  addItemEdits(S, V.Edits);
  V.IsIndented = true;
  V.Comment = "/// " + B.Name + " by tiles of work-items, with what they share in LDS.\n";
  V.Launch = "hk::launchTiles<" + Large + ", " + Small + ">(hk_items, hk_stream, @<" + Large +
             ">, @<" + Small + ">, $, hk_items" + Arguments + ");";
  V.Obligations.push_back({"what is loaded beside what is wanted is there",
                           ObligationState::Guarded,
                           "it lies between elements of " + Names + " that the launch reads"});
  V.Obligations.push_back(
      {"the grid fits", ObligationState::Guarded, "the launcher looks at the configuration"});
  V.Effects.push_back({"128-byte lines a wavefront", Now, After});
  return V;
}

} // namespace

std::variant<KernelVersion, Declined> hk::shareWindows(const KernelSource &S,
                                                       const PassOptions &Opts,
                                                       const std::vector<Launch> &Launches) {
  return WindowRewrite(S, Opts, Launches).run();
}
