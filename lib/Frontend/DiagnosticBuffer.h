//===- DiagnosticBuffer.h - Clang's errors, kept as text --------*- C++ -*-===//
//
// Private to the front end. The two sides of a file are parsed at the same time and mostly see the same text: their
// errors are kept apart, one entry an error with its notes, and printed once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

namespace hk::frontend {

class DiagnosticBuffer : public clang::DiagnosticConsumer {
public:
  /// \p Prefix goes before messages that have no source position.
  explicit DiagnosticBuffer(llvm::StringRef Prefix);
  ~DiagnosticBuffer() override;

  void BeginSourceFile(const clang::LangOptions &LO, const clang::Preprocessor *PP) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override;

  bool hasErrors() const { return !Entries.empty(); }
  /// Prints what \p Before, if given, does not have too.
  void print(llvm::raw_ostream &OS, const DiagnosticBuffer *Before = nullptr) const;

private:
  clang::DiagnosticOptions Options;
  std::string Prefix;
  std::string Text;
  llvm::raw_string_ostream Stream;
  std::unique_ptr<clang::TextDiagnosticPrinter> Printer;
  std::vector<std::string> Entries;
  bool Muted = false; ///< the last message was below an error, so its notes go too
};

} // namespace hk::frontend
