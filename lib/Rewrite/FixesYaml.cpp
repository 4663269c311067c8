//===- FixesYaml.cpp - Edits for clang-apply-replacements -----------------===//

#include "hk/Rewrite/Output.h"

#include "Paths.h"

#include "clang/Tooling/ReplacementsYaml.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;

std::string hk::fixesYaml(std::string &Text, StringRef MainFile, const std::vector<Edit> &Edits) {
  clang::tooling::TranslationUnitReplacements Document;
  Document.MainSourceFile = absolutePath(MainFile);
  for (const Edit &E : Edits) {
    // LLVM's YAML writer cuts a string off at the first byte it cannot decode.
    if (!json::isUTF8(E.Text))
      return "the new text at offset " + std::to_string(E.Span.Offset) + " of '" + E.Span.File +
             "' is not UTF-8, which YAML cannot hold";
    Document.Replacements.emplace_back(absolutePath(E.Span.File), E.Span.Offset, E.Span.Length,
                                       E.Text);
  }
  raw_string_ostream OS(Text);
  yaml::Output Yaml(OS);
  Yaml << Document;
  return {};
}
