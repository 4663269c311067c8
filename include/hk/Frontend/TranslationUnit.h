//===- TranslationUnit.h - One parsed HIP file ------------------*- C++ -*-===//
//
// What the front end hands to the rest of the tool: the device IR of a file and, from its ASTs (host side and device
// side), its kernels, launches and synchronization calls. No clang header is needed to use it.
//
// Keys. A kernel is keyed by its mangled name as it stands in the device IR. A source construct is keyed by its
// SourcePlace, which clang also writes into debug info; an IR instruction and the AST node it came from are matched by
// that key. The place is where the construct stands in a file: what comes out of a macro's body is where the macro is
// used, an argument of a macro is where the argument is spelled, and #line directives are applied. TranslationUnit::
// place() makes the key of a debug location.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Frontend/KernelBody.h"
#include "hk/Support/SourcePlace.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class DILocation;
class LLVMContext;
class Module;
class raw_ostream;
} // namespace llvm

namespace hk {

/// One file with the flags it is built with.
struct Job {
  std::string File;                   ///< as the user (or the compilation database) names it
  std::string Directory;              ///< where the compiler would run; relative paths start here
  std::vector<std::string> Arguments; ///< flags only: no compiler name, no input, no -o/-c
};

/// Where the text of a construct stands.
enum class Spelling {
  File,          ///< in the file itself: can be edited
  MacroArgument, ///< spelled as an argument of a macro call: can be edited
  MacroBody,     ///< comes out of a macro definition: never edited
};

/// One dimension of a launch configuration.
struct LaunchDim {
  /// Constant: every launch at the place has this value, in all instantiations that the file makes.
  enum KindTy { Unknown, Constant, Symbolic } Kind = Unknown;
  uint64_t Value = 0; ///< for Constant
  std::string Text;   ///< the source text, for Symbolic (and for printing)
};

/// How a launch is written.
enum class LaunchForm { Chevron, LaunchKernelGGL, LaunchKernel, Other };

/// One place in host code that launches a kernel.
struct Launch {
  SourcePlace Place;
  LaunchForm Form = LaunchForm::Chevron;
  SourceSpan Call;    ///< the text of the call, or of the use of hipLaunchKernelGGL, when it is spelled in a file
  std::string Callee; ///< the kernel as it is written there, with template arguments
  std::string GridText, BlockText; ///< of one by <<<>>> or that macro
  std::string Kernel; ///< mangled device name; empty when the callee is not a known kernel
  std::array<LaunchDim, 3> Grid;
  std::array<LaunchDim, 3> Block;
  std::string SharedBytes;           ///< source text of the dynamic LDS size, empty when not given
  std::string Stream;                ///< source text, empty when not given
  std::vector<std::string> Arguments; ///< source text of each kernel argument; none for hipLaunchKernel()'s array
  /// The same as numbers, where they are known integers: every launch at the place passes this value.
  std::optional<int64_t> SharedBytesValue;
  std::vector<std::optional<int64_t>> ArgumentValues; ///< as long as Arguments
  Spelling Where = Spelling::File; ///< of all of it; for hipLaunchKernelGGL, of the use of that macro
  std::string Caller; ///< host function the launch stands in
};

/// How the bytes of a value read: its scalars, in order, those of members and array elements included.
struct ValueLayout {
  enum KindTy { Unsigned, Signed, Bool, Float, BFloat, Pointer };
  struct Scalar {
    uint64_t Offset = 0;
    KindTy Kind = Unsigned;
    unsigned Bytes = 0;
    /// Of a pointer: what it points to; null for void, functions, and what nests too deeply.
    std::shared_ptr<const ValueLayout> Pointee;
    bool IsRestrict = false, IsPointeeConst = false;
  };
  std::string Type;    ///< without qualifiers and typedefs
  uint64_t Size = 0;   ///< bytes
  std::vector<Scalar> Scalars;
};

/// A formal parameter of a kernel.
struct KernelParam {
  std::string Name;
  std::string Type;
  bool IsPointer = false;
  bool IsRestrict = false;
  bool IsPointeeConst = false;
  ValueLayout Layout;
};

/// One kernel that exists in the device code: a definition, or one instantiation of a template.
struct Kernel {
  std::string Mangled; ///< name in the device IR
  std::string Name;    ///< as a person writes it: ns::reduce<256, float>
  SourcePlace Place;   ///< of the definition's name
  SourceSpan Body;     ///< the braces and what is between, when spelled in a file
  bool InHeader = false;            ///< not in the main file
  bool IsInstantiation = false;     ///< of a function template, or a member of a class template
  bool InternalLinkage = false;     ///< static or in an unnamed namespace: all launches are in this file
  bool EscapesLaunch = false;       ///< its address is used outside launches: launch sites do not tell its block size
  bool BodyHasConditionals = false; ///< #if inside the body: another configuration may read differently
  unsigned LaunchBoundsThreads = 0; ///< __launch_bounds__ maximum, 0 when not given
  std::vector<KernelParam> Params;
  std::shared_ptr<const KernelBody> Tree; ///< its text; on request
};

/// What a synchronization call asks for.
enum class SyncKind {
  Workgroup,           ///< __syncthreads(), hk::sync::workgroup()
  WorkgroupReduce,     ///< __syncthreads_count/and/or
  CooperativeBlock,    ///< cooperative_groups thread_block::sync(), cg::sync(block)
  RawBarrier,          ///< __builtin_amdgcn_s_barrier()
  WorkgroupLds,        ///< hk::sync::lds()
  Wave,                ///< hk::sync::wave(), __syncwarp, __builtin_amdgcn_wave_barrier
};

/// A synchronization call in device code. One source call gives one record, however often it is instantiated.
struct SyncCall {
  SourcePlace Place; ///< as in the debug info of the call's instruction
  SyncKind Kind = SyncKind::Workgroup;
  std::string Text;     ///< the call as written, e.g. "__syncthreads()"; the name of the macro for MacroBody
  std::string Function; ///< the function it stands in, as a person writes it
  Spelling Where = Spelling::File;
  SourceSpan Call; ///< the call expression's text; valid for Spelling::File and MacroArgument
  /// The whole statement with its ';', when the call is a full statement directly inside braces, so that deleting it
  /// leaves valid code.
  std::optional<SourceSpan> Statement;
  bool ResultUsed = false; ///< its value is used
  bool InHeader = false;   ///< not in the main file
  bool InSystemHeader = false; ///< never set: calls in system headers, HIP's and hk/ are not listed
  bool InTemplate = false; ///< inside a template pattern; facts come from its instantiations
  bool InLambda = false;
  bool FunctionHasConditionals = false; ///< #if inside the body of the function it stands in
  /// Different calls share this place, or instantiations disagree on what it is (a group of a template parameter's
  /// type): never edited.
  bool Ambiguous = false;
  /// Device code of other files may call the function it stands in (relocatable device code, external linkage).
  bool OpenToOtherFiles = false;
  /// Conditions of the if, loop, switch and ?: statements around the call, within its function: from the first to the
  /// last place of each condition. An early return has its condition beside the call, not around it.
  std::vector<std::pair<SourcePlace, SourcePlace>> Conditions;

  /// \p P lies in the condition of a statement around the call.
  bool isInside(const SourcePlace &P) const {
    for (auto &[From, To] : Conditions)
      if (!(P < From) && !(To < P))
        return true;
    return false;
  }
};

/// The statements between one pair of braces in device code, when all of them are spelled in one file.
struct StatementList {
  struct Item {
    SourcePlace From, To; ///< first and last token
    unsigned Offset = 0;  ///< of the first byte
  };
  std::string File; ///< absolute
  bool InHeader = false;
  std::vector<Item> Items;
};

/// Where `#include <hk/...>` may be inserted in a file.
struct IncludePoint {
  std::string File;
  unsigned Offset = 0;      ///< byte offset of the insertion: the start of a line
  bool AtTopLevel = true;   ///< the file is not itself included inside a namespace, function or class
  std::vector<std::string> Included; ///< spelled names of what it includes directly, e.g. "hk/sync.h"
};

struct FrontendOptions {
  std::string Target = "gfx942";
  std::string RocmPath;                    ///< empty: environment, /opt/rocm, the built-in default
  std::vector<std::string> RuntimeIncludes; ///< added as -I, so that rewritten files find hk/
  bool HostSide = true;                    ///< parse the host side too
  bool StatementLists = false;             ///< collect them: only who inserts statements needs them
  bool KernelTrees = false;                ///< collect them: only who writes second versions of kernels needs them
};

/// A parsed translation unit. Movable; owns its device module.
class TranslationUnit {
public:
  TranslationUnit();
  ~TranslationUnit();
  TranslationUnit(TranslationUnit &&);
  TranslationUnit &operator=(TranslationUnit &&);

  Job TheJob;
  std::string MainFile; ///< absolute, as used in every SourceSpan::File of the main file
  std::vector<Kernel> Kernels;     ///< in source order, instantiations of one template in mangled-name order
  std::vector<Launch> Launches;    ///< in source order
  std::vector<SyncCall> SyncCalls; ///< in source order
  std::vector<StatementList> StatementLists; ///< in source order, outer before inner; on request
  std::vector<IncludePoint> IncludePoints; ///< for the main file and each non-system file that holds device code
  bool DefinesMain = false;
  bool IsHip = false;              ///< the flags made clang treat it as HIP

  /// Device IR: debug locations with columns, no optimization run, device libraries not linked. Null when parsing
  /// failed.
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> Device;

  /// Names that places use, by absolute path.
  std::map<std::string, std::string> DisplayNames;

  /// The key of a debug location (of the location itself: follow getInlinedAt() for the callers).
  SourcePlace place(const llvm::DILocation *Loc) const;
  /// The File of places in the file that debug info calls \p Directory, \p Filename.
  std::string placeFile(llvm::StringRef Directory, llvm::StringRef Filename) const;

  const Kernel *kernel(llvm::StringRef Mangled) const;
  const SyncCall *syncCall(const SourcePlace &P) const;
  const IncludePoint *includePoint(llvm::StringRef File) const;
};

/// What parsing came to.
enum class ParseStatus {
  Ok,
  Failed,     ///< clang printed errors
  Unreadable, ///< no such file, a directory, no permission; a message was printed
  NotHip,     ///< the flags and the name do not make it HIP; a message was printed
};

/// Parses one file, both sides, and generates device IR. Diagnostics go to \p Diags in clang's own form (warnings
/// are silenced: the user's build shows those). \p FS may overlay rewritten contents; its working folder is set to the
/// job's, so build it on llvm::vfs::createPhysicalFileSystem(), which has one of its own. Errors are printed in the
/// order device side, host side; those that both have, once. A crash of clang is an error like others.
ParseStatus parse(const Job &J, const FrontendOptions &Opts, TranslationUnit &Out, llvm::raw_ostream &Diags,
                  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS = nullptr);

/// What clang, the driver, is called with to build a job for real.
struct BuildFlags {
  std::vector<std::string> Compile; ///< how the source reads, with what the user's flags leave open; the -O of the user
  std::vector<std::string> Link;    ///< libraries and the like
};

/// The flags of \p J for a build. False when they are wrong, or the file is not HIP; it was said on \p Diags then.
bool buildFlags(const Job &J, const FrontendOptions &Opts, llvm::raw_ostream &Diags, BuildFlags &Out);

/// Parses only (host and device), to check that rewritten contents still compile. Prints clang's errors to \p Diags.
/// \p FS as for parse().
bool stillCompiles(const Job &J, const FrontendOptions &Opts, llvm::raw_ostream &Diags,
                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS);

/// Jobs for \p Files: from a compile_commands.json in \p DatabaseDir when that is not empty (every file must be in
/// it; each of its entries gives a job, to which \p Flags are added at the end), otherwise with \p Flags. Response
/// files are expanded. Returns an error text, empty when all went well.
std::string makeJobs(const std::vector<std::string> &Files, llvm::StringRef DatabaseDir,
                     const std::vector<std::string> &Flags, std::vector<Job> &Out);

} // namespace hk
