//===- Contraction.h - Whether products may become part of sums -*- C++ -*-===//
//
// With -ffp-contract=fast, HIP's default, the compiler rounds a product or not, by what it finds best where a sum uses it. The same
// expression may come out another way in other surroundings.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace hk::frontend {

/// There are floating-point products and sums in \p Body, or in what it calls, that may be contracted across statements.
bool mayContract(const clang::Stmt *Body, const clang::ASTContext &Context);

} // namespace hk::frontend
