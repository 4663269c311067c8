//===- Remarks.cpp - Proposals as compiler diagnostics --------------------===//

#include "hk/Rewrite/Output.h"

#include "ProposalOrder.h"
#include "SourceText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;

namespace {

class RemarkPrinter {
public:
  RemarkPrinter(raw_ostream &OS, const RemarkStyle &Style) : OS(OS), Style(Style) {}

  void print(const Proposal &P);

private:
  raw_ostream &OS;
  const RemarkStyle &Style;
  SourceLines Sources;

  void line(const SourcePlace &Place, raw_ostream::Colors Color, StringRef Label,
            const Twine &Text);
  void source(const SourcePlace &Place);
  void note(const SourcePlace &Place, const Twine &Text) {
    line(Place, raw_ostream::CYAN, "note", Text);
  }
};

} // namespace

static StringRef label(Severity Level) {
  switch (Level) {
  case Severity::Remark:
    return "remark";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "remark";
}

static raw_ostream::Colors color(Severity Level) {
  switch (Level) {
  case Severity::Remark:
    return raw_ostream::BLUE;
  case Severity::Warning:
    return raw_ostream::MAGENTA;
  case Severity::Error:
    return raw_ostream::RED;
  }
  return raw_ostream::BLUE;
}

/// \p Text as a terminal can show it: a control character would move the cursor and displace the
/// caret.
static std::string printable(StringRef Text) {
  std::string Result = Text.str();
  for (char &C : Result)
    if ((static_cast<unsigned char>(C) < 0x20 && C != '\t') || C == 0x7f)
      C = '?';
  return Result;
}

/// Blanks as wide as \p Text is on a terminal; tabs stay, because how wide one is depends on the
/// terminal.
static std::string blanksUnder(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    auto *Begin = reinterpret_cast<const UTF8 *>(Text.data());
    size_t Length =
        isLegalUTF8Sequence(Begin, Begin + Text.size()) ? getNumBytesForUTF8(*Begin) : 1;
    StringRef Character = Text.take_front(Length);
    int Width = sys::unicode::columnWidthUTF8(Character);
    if (Character == "\t")
      Result += '\t';
    else
      Result.append(Width < 0 ? 1 : Width, ' ');
    Text = Text.drop_front(Length);
  }
  return Result;
}

void RemarkPrinter::line(const SourcePlace &Place, raw_ostream::Colors Color, StringRef Label,
                         const Twine &Text) {
  bool Located = Place.valid() || !Place.File.empty();
  if (Style.Color)
    OS.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
  if (Place.valid())
    OS << Place.str() << ": ";
  else if (Located)
    OS << Place.File << ": ";
  if (Style.Color)
    OS.changeColor(Color, /*Bold=*/true);
  OS << Label << ": ";
  if (Style.Color) {
    OS.resetColor();
    // As clang does it: the text of a note is plain, that of anything else is bold.
    if (Label != "note")
      OS.changeColor(raw_ostream::SAVEDCOLOR, /*Bold=*/true);
  }
  OS << Text;
  if (Style.Color)
    OS.resetColor();
  OS << '\n';
}

void RemarkPrinter::source(const SourcePlace &Place) {
  if (!Style.ShowSource || !Place.valid())
    return;
  std::optional<StringRef> Line = Sources.line(Place.File, Place.Line);
  if (!Line)
    return;
  unsigned Before = Place.Column == 0 ? 0 : Place.Column - 1;
  if (Place.Line == 1) {
    unsigned Mark = byteOrderMarkLength(*Line);
    *Line = Line->drop_front(Mark);
    Before -= std::min(Before, Mark);
  }
  std::string Text = printable(*Line);
  OS << Text << '\n';
  // A column past the line's end comes from a file that changed meanwhile; a caret there would
  // point at nothing.
  if (Place.Column == 0 || Before > Text.size())
    return;
  OS << blanksUnder(StringRef(Text).take_front(Before));
  if (Style.Color)
    OS.changeColor(raw_ostream::GREEN, /*Bold=*/true);
  OS << '^';
  if (Style.Color)
    OS.resetColor();
  OS << '\n';
}

void RemarkPrinter::print(const Proposal &P) {
  line(P.Place, color(P.Level), label(P.Level),
       P.Pass.empty() ? P.Message : P.Message + " [hk-" + P.Pass + "]");
  source(P.Place);
  for (const ProposalNote &N : P.Notes) {
    note(N.Place, N.Text);
    source(N.Place);
  }
  if (Style.ShowObligations)
    for (const Obligation &O : P.Obligations)
      note(P.Place, "[" + obligationStateName(O.State) + "] " + O.Text +
                        (O.How.empty() ? "" : ": " + O.How));
  if (P.Effects.empty())
    return;
  std::vector<std::string> Effects;
  for (const Effect &E : P.Effects)
    Effects.push_back(E.Quantity + " " + quantityText(E.Before) + " -> " + quantityText(E.After));
  note(P.Place,
       (P.Result == Outcome::Declined ? "would have been: " : "expected: ") + join(Effects, ", "));
}

void hk::printProposals(raw_ostream &OS, const std::vector<Proposal> &Proposals,
                        const RemarkStyle &Style) {
  // A stream that is no terminal drops colors unless told otherwise.
  bool Enabled = OS.colors_enabled();
  OS.enable_colors(Style.Color);
  RemarkPrinter Printer(OS, Style);
  for (const Proposal *P : sortedByPlace(Proposals))
    Printer.print(*P);
  OS.enable_colors(Enabled);
}
