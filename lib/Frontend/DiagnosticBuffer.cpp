//===- DiagnosticBuffer.cpp - Clang's errors, kept as text ----------------===//
#include "DiagnosticBuffer.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace hk::frontend {

DiagnosticBuffer::DiagnosticBuffer(llvm::StringRef Prefix) : Prefix(Prefix), Stream(Text) {
  Printer = std::make_unique<TextDiagnosticPrinter>(Stream, Options);
}

DiagnosticBuffer::~DiagnosticBuffer() = default;

void DiagnosticBuffer::BeginSourceFile(const LangOptions &LO, const Preprocessor *PP) {
  Printer->BeginSourceFile(LO, PP);
}

void DiagnosticBuffer::EndSourceFile() { Printer->EndSourceFile(); }

void DiagnosticBuffer::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level != DiagnosticsEngine::Note)
    Muted = Level < DiagnosticsEngine::Error;
  if (Muted)
    return;
  // A message that has a position looks just like clang's.
  Printer->setPrefix(Info.getLocation().isValid() ? "" : Prefix);
  Printer->HandleDiagnostic(Level, Info);
  if (Level != DiagnosticsEngine::Note || Entries.empty())
    Entries.emplace_back();
  Entries.back() += Text;
  Text.clear();
}

void DiagnosticBuffer::print(llvm::raw_ostream &OS, const DiagnosticBuffer *Before) const {
  for (size_t I = 0; I != Entries.size(); ++I) {
    if (Before && llvm::is_contained(Before->Entries, Entries[I]))
      continue;
    OS << Entries[I];
  }
}

} // namespace hk::frontend
