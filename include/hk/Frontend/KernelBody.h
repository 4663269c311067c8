//===- KernelBody.h - The text of a kernel as a tree ------------*- C++ -*-===//
//
// What passes that write a second version of a kernel need of its syntax: statements and expressions with the bytes of
// the file that they stand in, in a form that needs no clang. Implicit conversions and parentheses are left out; what has
// no kind of its own is Other*, which nobody may take for harmless.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Support/SourcePlace.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hk {

/// The type of a value, as far as rewrites ask.
struct ValueType {
  enum KindTy { Bool, Signed, Unsigned, Float, Pointer, Array, Struct, Other } Kind = Other;
  unsigned Bytes = 0;    ///< of one value
  uint64_t Elements = 0; ///< of an Array; 0 if not constant
  bool IsVolatile = false, IsConst = false;
  bool IsPlain = false; ///< a Struct that its bytes make, as a half
  std::string Text; ///< as it would be written, without qualifiers

  bool isInteger() const { return Kind == Bool || Kind == Signed || Kind == Unsigned; }
};

enum class NodeKind {
  // Statements.
  Block,      ///< children: statements
  Declare,    ///< one variable, from its name on: Variable; child: initializer, if there is one
  Declares,   ///< several in one statement; children: Declare
  Evaluate,   ///< an expression statement; child: the expression
  If,         ///< children: condition, then, else or null
  For,        ///< children: init, condition, increment, body; the first three may be null
  While,      ///< children: condition, body
  Do,         ///< children: body, condition
  Return,     ///< children: value, if any
  Break,
  Continue,
  Empty,
  OtherStatement,
  // Expressions.
  Integer,     ///< a value that is constant: Number
  Constant,    ///< another literal
  Reference,   ///< a variable: Variable
  Builtin,     ///< Text: threadIdx, blockIdx, blockDim, gridDim; Number: dimension
  Unary,       ///< Text: the operator ("++", "--" also behind); child
  Binary,      ///< Text: the operator; children
  Assign,      ///< Text: "=", "+=", ...; children: target, value
  Conditional, ///< children: condition, then, else
  Call,        ///< Text: the function's name; Pure; children: arguments
  Subscript,   ///< children: base, index
  Dereference, ///< child: the pointer
  Member,      ///< Text: the member's name; child: the object (with ->: a Dereference of the pointer)
  Cast,        ///< to Type, between numbers or pointers; child. Implicit ones too: they have their child's bytes
  List,        ///< {a, b}, T(a, b) of a class without a body of its own; children
  OtherExpression,
};

struct BodyNode {
  NodeKind Kind = NodeKind::OtherStatement;
  /// Bytes [Begin, End) of the file. Spelled: all of it stands there, none comes out of a macro.
  unsigned Begin = 0, End = 0;
  bool Spelled = false;
  SourcePlace Place; ///< of Subscript, Dereference and Member: as facts about accesses have it. Of statements: their start.
  std::string Text;
  int64_t Number = 0;
  unsigned Variable = ~0u; ///< index into KernelBody::Variables
  bool Pure = false; ///< Call: depends on its arguments alone, and does nothing else
  bool IsImplicit = false; ///< Cast: not written
  ValueType Type; ///< of expressions
  std::vector<std::unique_ptr<BodyNode>> Children;

  const BodyNode *child(unsigned I) const { return I < Children.size() ? Children[I].get() : nullptr; }
};

struct BodyVariable {
  std::string Name;
  ValueType Type;
  ValueType Pointee; ///< of a pointer or an array: the element
  int Parameter = -1; ///< its position
  bool IsRestrict = false;
  bool IsShared = false; ///< __shared__
  bool IsLocal = false;  ///< automatic, of the kernel
  bool IsReference = false;
};

struct KernelBody {
  std::string File; ///< absolute
  std::string Text; ///< of the whole file
  unsigned Begin = 0, End = 0;           ///< the kernel: from "template" or the first attribute to behind its '}'
  unsigned BodyBegin = 0;                ///< of the '{'
  unsigned ParamsBegin = 0, ParamsEnd = 0; ///< between the parentheses
  std::vector<unsigned> ParamNames;      ///< offset of each parameter's name; 0 where it has none
  std::string Name;                      ///< without scopes and template arguments
  std::string TemplateParams;            ///< between < and >; empty for none
  /// Why no second version can stand beside it: it is a member, in an extern "C" block, made by a macro, ...
  std::string NotCopyable;
  /// The compiler may round floating-point products or not, where sums use them, by what stands around: -ffp-contract=fast.
  bool MayContract = false;
  std::vector<BodyVariable> Variables;
  std::unique_ptr<BodyNode> Root; ///< the Block

  std::string textOf(const BodyNode &N) const { return Text.substr(N.Begin, N.End - N.Begin); }
};

} // namespace hk
