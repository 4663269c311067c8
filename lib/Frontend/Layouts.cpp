//===- Layouts.cpp - The scalars of a type --------------------------------===//
//
// For whoever makes up or prints values: what each byte of a kernel's argument, and of what it points to, is part of.
//
//===----------------------------------------------------------------------===//
#include "Collect.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace hk::frontend {
namespace {

/// Lists and trees point to themselves, and nobody reads a scalar list of a large array.
constexpr unsigned MaxPointerDepth = 3, MaxScalars = 4096;

class LayoutBuilder {
  const ASTContext &Context;
  ValueLayout &Out;
  unsigned Depth;

  void scalar(uint64_t Offset, ValueLayout::KindTy Kind, QualType T) {
    ValueLayout::Scalar S;
    S.Offset = Offset;
    S.Kind = Kind;
    S.Bytes = unsigned(Context.getTypeSizeInChars(T).getQuantity());
    if (Kind == ValueLayout::Pointer) {
      QualType To = T->getPointeeType();
      S.IsRestrict = T.isRestrictQualified();
      S.IsPointeeConst = !To.isNull() && To.isConstQualified();
      if (Depth < MaxPointerDepth && !To.isNull() && !To->isIncompleteType() && !To->isFunctionType())
        S.Pointee = std::make_shared<ValueLayout>(make(To, Context, Depth + 1));
    }
    Out.Scalars.push_back(std::move(S));
  }

public:
  LayoutBuilder(const ASTContext &Context, ValueLayout &Out, unsigned Depth)
      : Context(Context), Out(Out), Depth(Depth) {}

  void add(uint64_t Offset, QualType T) {
    if (Out.Scalars.size() >= MaxScalars)
      return;
    // Qualifiers of the pointer itself matter; a reference is a pointer that is never null.
    if (T->isPointerType() || T->isReferenceType())
      return scalar(Offset, ValueLayout::Pointer, T);
    T = T.getCanonicalType();
    if (const ConstantArrayType *Array = Context.getAsConstantArrayType(T)) {
      uint64_t Step = uint64_t(Context.getTypeSizeInChars(Array->getElementType()).getQuantity());
      for (uint64_t I = 0; I != Array->getSize().getZExtValue() && Out.Scalars.size() < MaxScalars; ++I)
        add(Offset + I * Step, Array->getElementType());
      return;
    }
    if (const auto *Vector = T->getAs<clang::VectorType>()) {
      uint64_t Step = uint64_t(Context.getTypeSizeInChars(Vector->getElementType()).getQuantity());
      for (unsigned I = 0; I != Vector->getNumElements(); ++I)
        add(Offset + I * Step, Vector->getElementType());
      return;
    }
    if (const auto *Record = T->getAs<RecordType>())
      return addRecord(Offset, Record->getDecl()->getDefinition());
    if (const auto *Complex = T->getAs<ComplexType>()) {
      add(Offset, Complex->getElementType());
      return add(Offset + uint64_t(Context.getTypeSizeInChars(Complex->getElementType()).getQuantity()),
                 Complex->getElementType());
    }
    if (T->isBooleanType())
      return scalar(Offset, ValueLayout::Bool, T);
    if (T->isBFloat16Type())
      return scalar(Offset, ValueLayout::BFloat, T);
    if (T->isRealFloatingType())
      return scalar(Offset, ValueLayout::Float, T);
    if (T->isIntegralOrEnumerationType())
      return scalar(Offset, T->isSignedIntegerOrEnumerationType() ? ValueLayout::Signed : ValueLayout::Unsigned, T);
  }

  void addRecord(uint64_t Offset, const RecordDecl *R) {
    if (!R || R->isInvalidDecl())
      return;
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(R);
    if (const auto *Class = dyn_cast<CXXRecordDecl>(R))
      for (const CXXBaseSpecifier &B : Class->bases())
        if (const auto *Base = B.getType()->getAsCXXRecordDecl(); Base && !B.isVirtual())
          addRecord(Offset + uint64_t(Layout.getBaseClassOffset(Base).getQuantity()), Base->getDefinition());
    for (const FieldDecl *F : R->fields()) {
      if (F->isBitField())
        continue;
      add(Offset + Layout.getFieldOffset(F->getFieldIndex()) / 8, F->getType());
      // Of a union, one member says how the bytes read.
      if (R->isUnion())
        break;
    }
  }

  static ValueLayout make(QualType T, const ASTContext &Context, unsigned Depth) {
    ValueLayout L;
    PrintingPolicy Policy = Context.getPrintingPolicy();
    Policy.SuppressTagKeyword = true;
    L.Type = T.getCanonicalType().getUnqualifiedType().getAsString(Policy);
    if (T->isVoidType() || T->isIncompleteType())
      return L;
    L.Size = T->isReferenceType() ? 8 : uint64_t(Context.getTypeSizeInChars(T).getQuantity());
    LayoutBuilder(Context, L, Depth).add(0, T);
    return L;
  }
};

} // namespace

ValueLayout layoutOf(QualType T, const ASTContext &Context) { return LayoutBuilder::make(T, Context, 0); }

} // namespace hk::frontend
