//===- KernelVersion.cpp --------------------------------------------------===//

#include "hk/Passes/KernelVersion.h"

#include "hk/Support/VersionNames.h"
#include "hk/Target/Occupancy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hk;

static std::vector<std::string> split(const std::string &Text, char At) {
  SmallVector<StringRef, 8> Parts;
  StringRef(Text).split(Parts, At);
  return {Parts.begin(), Parts.end()};
}

ErrorBound hk::floatBound(unsigned Bytes) {
  const double Error = Bytes >= 8 ? 1e-12 : Bytes == 4 ? 1e-4 : 1e-2;
  return {Error, Error};
}

static std::string launcherName(const KernelBody &B) { return "launch_" + B.Name; }

static bool isWord(char C) { return isAlnum(C) || C == '_'; }

/// Where \p Word stands in \p Text as a whole word; npos.
static size_t findWord(StringRef Text, StringRef Word, size_t From = 0) {
  for (size_t At = Text.find(Word, From); At != StringRef::npos; At = Text.find(Word, At + 1)) {
    size_t End = At + Word.size();
    if ((At == 0 || !isWord(Text[At - 1])) && (End == Text.size() || !isWord(Text[End])))
      return At;
  }
  return StringRef::npos;
}

bool hk::namesWord(const std::string &Text, const std::string &Word) {
  return findWord(Text, Word) != StringRef::npos;
}

/// The parameters in \p Text, which are apart by commas outside of all brackets.
static std::vector<StringRef> templateParameters(StringRef Text) {
  std::vector<StringRef> Parts;
  int Depth = 0;
  size_t From = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    const char C = Text[I];
    Depth += C == '<' || C == '(' || C == '[' || C == '{';
    Depth -= C == '>' || C == ')' || C == ']' || C == '}';
    if (C == ',' && Depth == 0) {
      Parts.push_back(Text.slice(From, I));
      From = I + 1;
    }
  }
  Parts.push_back(Text.drop_front(From));
  return Parts;
}

/// Whether \p L launches from a launcher that was written before.
static bool isInLauncher(const Launch &L, const KernelBody &B) {
  StringRef Caller = L.Caller;
  size_t Scope = Caller.rfind("::");
  if (Scope != StringRef::npos)
    Caller = Caller.drop_front(Scope + 2);
  return Caller.split('<').first == launcherName(B);
}

std::string hk::edited(const KernelBody &B, unsigned Begin, unsigned End,
                       std::vector<TextEdit> Edits) {
  // Insertions at one place keep their order.
  std::vector<size_t> Order(Edits.size());
  for (size_t I = 0; I != Order.size(); ++I)
    Order[I] = I;
  llvm::sort(Order, [&](size_t X, size_t Y) {
    return std::tuple(Edits[X].Begin, Edits[X].End, X) <
           std::tuple(Edits[Y].Begin, Edits[Y].End, Y);
  });
  std::string Out;
  unsigned At = Begin;
  for (size_t I : Order) {
    const TextEdit &E = Edits[I];
    if (E.Begin < At || E.End > End)
      continue;
    Out += B.Text.substr(At, E.Begin - At);
    Out += E.Text;
    At = E.End;
  }
  return Out + B.Text.substr(At, End - At);
}

static const char *const Axis[] = {"x", "y", "z"};

std::variant<std::array<bool, 3>, Declined> hk::movableWorkItems(const KernelSource &S) {
  if (!S.Problem.empty())
    return Declined{"the kernel's effects are known", S.Problem, S.ProblemPlace};
  for (const BodyNode *N : S.Uncovered)
    return Declined{"the number of a work-item is all that the kernel asks of its place",
                    "it uses " + N->Text + "." + Axis[N->Number] + " by itself", N->Place};
  std::array<bool, 3> Used{false, false, false};
  for (const BodyNode *N : S.Items) {
    std::optional<Polynomial> P = S.form(*N);
    if (!P || !N->Spelled)
      return Declined{"the kernel's text can be changed", "a macro makes the work-item's number",
                      N->Place};
    if (!S.Body.TemplateParams.empty() &&
        (N->Type.Kind != ValueType::Unsigned || N->Type.Bytes > 4))
      return Declined{"the version fits whatever the template is instantiated with",
                      "the type of the number stands in its text", N->Place};
    Used[P->begin()->first[0].back() - 'x'] = true;
  }
  return Used;
}

std::vector<TextEdit> hk::itemEdits(const KernelSource &S,
                                    const std::function<std::string(unsigned, bool)> &Text) {
  std::vector<TextEdit> Edits;
  for (const BodyNode *N : S.Items) {
    const std::string Factor = S.form(*N)->begin()->first[0];
    std::string New = Text(unsigned(Factor.back() - 'x'), StringRef(Factor).starts_with("items."));
    if (N->Type.Bytes > 4 || N->Type.Kind != ValueType::Unsigned)
      New = "(" + N->Type.Text + ")" + New;
    Edits.push_back({N->Begin, N->End, New});
  }
  return Edits;
}

unsigned hk::blockSize(const PassOptions &Opts, unsigned Lds) {
  return Opts.BlockSize ? Opts.BlockSize
                        : bestWorkgroup(computeUnit(Opts.Target),
                                        [&](unsigned Threads) { return Threads * Lds; });
}

unsigned hk::wavesWith(const PassOptions &Opts, unsigned Threads, unsigned Lds) {
  return residentWaves(computeUnit(Opts.Target), Threads, Lds);
}

std::string hk::wavesText(unsigned Waves) {
  return std::to_string(Waves) + (Waves == 1 ? " wavefront" : " wavefronts");
}

std::string hk::placeText(unsigned Dimension, bool IsTotal) {
  return std::string(IsTotal ? "hk_items." : "hk_at.") + Axis[Dimension];
}

void hk::addItemEdits(const KernelSource &S, std::vector<TextEdit> &Edits) {
  for (const TextEdit &Number : itemEdits(S, placeText))
    if (none_of(Edits,
                [&](const TextEdit &E) { return E.Begin <= Number.Begin && Number.End <= E.End; }))
      Edits.push_back(Number);
}

std::optional<Declined> hk::declineTemplate(const KernelSource &S) {
  if (S.Body.TemplateParams.empty())
    return std::nullopt;
  return Declined{"the version fits whatever the template is instantiated with",
                  "types or sizes of elements stand in its text", S.K.Place};
}

void hk::guardDimensions(const KernelSource &S, const std::array<bool, 3> &Used, KernelVersion &V) {
  V.Setup.push_back("const dim3 hk_items(hk_grid.x * hk_block.x, hk_grid.y * hk_block.y, hk_grid.z "
                    "* hk_block.z);");
  V.Params = "dim3 hk_items";
  for (unsigned D = 0; D != 3; ++D)
    if (S.OnlyBlocks[D])
      V.Guards.push_back(std::string("hk_block.") + Axis[D] + " == 1");
    else if (!Used[D])
      V.Guards.push_back(std::string("hk_items.") + Axis[D] + " == 1");
  V.Obligations.push_back(
      {"work-items may stand anywhere", ObligationState::Proved,
       "they share no LDS, meet at no barrier, and ask for nothing but their number"});
}

std::string hk::castTo(const std::string &Type, const std::string &Text) {
  return Type.find(' ') == std::string::npos ? Type + "(" + Text + ")"
                                             : "(" + Type + ")(" + Text + ")";
}

std::string hk::parameterText(const KernelSource &S, const Polynomial &P,
                              const std::string &Times) {
  if (std::optional<int64_t> Number = numberOf(P); Number && Times.empty())
    return std::to_string(*Number);
  std::string Text;
  for (const auto &[Factors, C] : P) {
    const bool IsOne = std::abs(C) == 1 && !Factors.empty();
    std::string Term = IsOne ? "" : std::to_string(std::abs(C)) + "ll";
    for (const std::string &F : Factors)
      Term += (!Term.empty()                                          ? " * "
               : Factors.size() > 1 || !Times.empty() || P.size() > 1 ? "(long long)"
                                                                      : "") +
              S.Body.Variables[*KernelSource::variableOf(F)].Name;
    if (!Times.empty())
      Term += " * " + Times;
    Text += (Text.empty() ? (C < 0 ? "-" : "") : (C < 0 ? " - " : " + ")) + Term;
  }
  return Text.empty() ? "0" : Text;
}

std::string hk::indented(const std::string &Text) {
  std::string Out;
  for (const std::string &Line : split(Text, '\n'))
    Out += (StringRef(Line).trim().empty() || Line[0] == '#' ? "" : "  ") + Line + "\n";
  return Out;
}

static Obligation failed(const std::string &Text, const std::string &How) {
  return {Text, ObligationState::Failed, How};
}

/// By how much results may differ if products are rounded, or not, before they are added: that the
/// terms nearly cancel is up to the data. \p S: the least exact type that it computes with says it.
static ErrorBound contractionBound(const KernelSource &S) {
  unsigned Bytes = 8;
  visit(*S.Body.Root, [&](const BodyNode &N) {
    if (N.Type.Kind == ValueType::Float || N.Type.Kind == ValueType::Struct)
      Bytes = std::min(Bytes, N.Type.Kind == ValueType::Struct ? 4 : N.Type.Bytes);
    return true;
  });
  return floatBound(Bytes);
}

/// Tells the compiler what the launcher has made sure of: that the memory of a pointer is its own.
static std::vector<TextEdit> restrictEdits(const KernelBody &B, const KernelVersion &V) {
  std::vector<TextEdit> Edits;
  for (unsigned Root : V.Separate) {
    const BodyVariable &Parameter = B.Variables[Root];
    if (Parameter.IsRestrict || Parameter.Parameter < 0 ||
        size_t(Parameter.Parameter) >= B.ParamNames.size())
      continue;
    const unsigned At = B.ParamNames[Parameter.Parameter];
    if (At <= B.ParamsBegin ||
        !StringRef(B.Text).substr(B.ParamsBegin, At - B.ParamsBegin).rtrim().ends_with("*"))
      continue; // an array, or a type with a name of its own
    Edits.push_back({At, At, "__restrict__ "});
  }
  return Edits;
}

Proposal hk::proposalFor(const KernelSource &S, const KernelVersion &V,
                         const std::vector<Launch> &Launches, const PassOptions &Opts) {
  const KernelBody &B = S.Body;
  Proposal P;
  P.Pass = "coalesce";
  P.Rule = V.Rule;
  P.Place = S.K.Place;
  P.Function = S.K.Name;
  P.Message = V.Message;
  P.Obligations = V.Obligations;
  P.Effects = V.Effects;
  P.Bound = V.Bound;
  P.Includes = V.Includes;
  auto Decline = [&](const std::string &Text, const std::string &How) {
    P.Obligations.push_back(failed(Text, How));
    P.Result = Outcome::Declined;
    P.Edits.clear();
    return P;
  };
  if (S.K.InHeader && !Opts.EditHeaders)
    return Decline("the kernel is in the main file",
                   "headers are changed as overlay copies (--out-dir) or by -i --headers only");
  if (!B.NotCopyable.empty())
    return Decline("a second version of the kernel can stand beside it", B.NotCopyable);
  if (S.K.BodyHasConditionals && !Opts.AssumeConfiguration)
    return Decline("the kernel's text reads the same in every configuration", "it has #if lines");
  if (B.MayContract) {
    const std::string Text = "products are rounded before they are added, or not, as in the kernel";
    if (Opts.ExactFloats)
      return Decline(Text,
                     "--fp=exact asks for it, and -ffp-contract=fast leaves it to the compiler");
    P.Obligations.push_back({Text, ObligationState::Assumed,
                             "--fp=reassoc, the default; -ffp-contract=on would say it"});
    if (!P.Bound)
      P.Bound = contractionBound(S);
  }
  const std::string Version = B.Name + VersionSuffix, Launcher = launcherName(B);
  for (const std::string &Name : {Version, Launcher})
    if (findWord(B.Text, Name) != StringRef::npos)
      return Decline("the names '" + Version + "' and '" + Launcher + "' are free",
                     "the file uses '" + Name + "'");
  if (StringRef(B.Text).substr(B.Begin, B.End - B.Begin).contains("hk_"))
    return Decline("names that start with hk_ are free", "the kernel uses one");

  std::string Arguments;
  for (const KernelParam &Param : S.K.Params) {
    if (Param.Name.empty())
      return Decline("each parameter has a name", "one has none");
    if (Param.Name == B.Name)
      return Decline("the launcher can name the kernel", "a parameter has its name");
    Arguments += (Arguments.empty() ? "" : ", ") + Param.Name;
  }
  const std::string Params = B.Text.substr(B.ParamsBegin, B.ParamsEnd - B.ParamsBegin);
  std::vector<TextEdit> ParamEdits = V.Edits;
  append_range(ParamEdits, restrictEdits(B, V));
  const std::string NewParams = edited(B, B.ParamsBegin, B.ParamsEnd, ParamEdits);
  const std::string Comma = S.K.Params.empty() ? "" : ", ";

  std::string Template = V.Template;
  if (!B.TemplateParams.empty())
    Template += (Template.empty() ? "" : ", ") + B.TemplateParams;
  std::string Text = "\n\n" + V.Comment;
  if (!Template.empty())
    Text += "template <" + Template + ">\n";
  // Another unit may have one of the same name.
  Text += "static __global__ " +
          (V.Threads.empty() ? "" : "__launch_bounds__(" + V.Threads + ") ") + "void " + Version +
          "(" + NewParams + (V.Params.empty() ? "" : Comma + V.Params) + ") {\n" + V.Prologue;
  std::string Body = edited(B, B.BodyBegin + 1, B.End - 1, V.Edits);
  Body = StringRef(Body).ltrim("\r\n").rtrim().str();
  if (!Body.empty())
    Text += V.IsIndented ? indented(Body) : Body + "\n";
  Text += V.Epilogue + "}";

  Text += "\n\n/// Launches " + Version + ", or " + B.Name +
          " itself where that cannot stand in for it.\n";
  if (!B.TemplateParams.empty())
    Text += "template <" + B.TemplateParams + ">\n";
  Text += "static inline void " + Launcher +
          "(dim3 hk_grid, dim3 hk_block, size_t hk_lds, hipStream_t hk_stream" + Comma + Params +
          ") {\n";
  for (const std::string &Line : V.Setup)
    Text += "  " + Line + "\n";
  Text += "  if (";
  std::vector<std::string> Guards;
  for (const std::string &Guard : V.Guards)
    if (!is_contained(Guards, Guard))
      Guards.push_back(Guard);
  for (size_t I = 0; I != Guards.size(); ++I)
    Text += (I ? " &&\n      " : "") + Guards[I];
  Text += ")\n    ";
  for (char C : V.Launch)
    if (C == '@')
      Text += Version;
    else if (C == '$')
      Text += Arguments;
    else
      Text += C;
  std::string Explicit;
  if (!B.TemplateParams.empty()) {
    // The kernel's own template arguments, by the names of its parameters.
    for (StringRef Part : templateParameters(B.TemplateParams)) {
      StringRef Name = Part.split('=').first.trim();
      size_t From = Name.size();
      while (From && isWord(Name[From - 1]))
        --From;
      Explicit += (Explicit.empty() ? "" : ", ") + Name.drop_front(From).str();
    }
  }
  std::string Original = B.Name + (Explicit.empty() ? "" : "<" + Explicit + ">");
  Text = join(split(Text, '\x01'), Explicit.empty() ? "" : ", " + Explicit);
  Text = join(split(Text, '\x02'), Explicit);
  Text += "\n  else\n    " + Original + "<<<hk_grid, hk_block, hk_lds, hk_stream>>>(" + Arguments +
          ");\n}";
  P.Edits.push_back({{B.File, B.End, 0}, Text});

  unsigned Editable = 0;
  for (const Launch &L : Launches) {
    if (isInLauncher(L, B))
      continue;
    if ((L.Form != LaunchForm::Chevron && L.Form != LaunchForm::LaunchKernelGGL) ||
        L.Where != Spelling::File || L.Call.Length == 0 || L.GridText.empty() ||
        L.BlockText.empty() || (L.Call.File == B.File && L.Call.Offset < B.End) ||
        L.Arguments.size() != S.K.Params.size()) {
      P.Notes.push_back({L.Place, "this launch keeps the original"});
      continue;
    }
    size_t At = findWord(L.Callee, B.Name);
    if (At == std::string::npos) {
      P.Notes.push_back({L.Place, "this launch keeps the original"});
      continue;
    }
    std::string Call = L.Callee;
    Call.replace(At, B.Name.size(), Launcher);
    Call += "(" + L.GridText + ", " + L.BlockText + ", " +
            (L.SharedBytes.empty() ? "0" : L.SharedBytes) + ", " +
            (L.Stream.empty() ? "nullptr" : L.Stream);
    for (const std::string &A : L.Arguments)
      Call += ", " + A;
    P.Edits.push_back({L.Call, Call + ")"});
    ++Editable;
  }
  if (!Editable)
    return Decline("a launch of the kernel is in view and can be changed",
                   Launches.empty() ? "none is in view" : "none can be");
  return P;
}
