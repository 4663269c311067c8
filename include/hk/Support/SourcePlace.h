//===- SourcePlace.h - Places and ranges in source files --------*- C++ -*-===//
//
// Plain source positions that every part can hold without including clang: facts are computed on LLVM IR, edits are
// made on source text, and these types are what the two agree on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <tuple>

namespace hk {

/// A position as compilers print it. Lines and columns count from 1; columns count bytes. Line 0 means "no position".
struct SourcePlace {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;

  bool valid() const { return Line != 0; }
  /// "file:line:col", or "<unknown>".
  std::string str() const {
    if (!valid())
      return "<unknown>";
    return File + ":" + std::to_string(Line) + ":" + std::to_string(Column);
  }
  friend bool operator==(const SourcePlace &A, const SourcePlace &B) {
    return std::tie(A.File, A.Line, A.Column) == std::tie(B.File, B.Line, B.Column);
  }
  friend bool operator<(const SourcePlace &A, const SourcePlace &B) {
    return std::tie(A.File, A.Line, A.Column) < std::tie(B.File, B.Line, B.Column);
  }
};

/// A run of bytes of one file. Offsets count bytes from 0.
struct SourceSpan {
  std::string File;
  unsigned Offset = 0;
  unsigned Length = 0;

  friend bool operator==(const SourceSpan &A, const SourceSpan &B) {
    return std::tie(A.File, A.Offset, A.Length) == std::tie(B.File, B.Offset, B.Length);
  }
  friend bool operator<(const SourceSpan &A, const SourceSpan &B) {
    return std::tie(A.File, A.Offset, A.Length) < std::tie(B.File, B.Offset, B.Length);
  }
};

} // namespace hk
