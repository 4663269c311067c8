//===- Rtc.cpp - hiprtc: compilation at run time --------------------------===//
//
// The program's text goes through the clang of the LLVM that this library was
// built with. The HIP headers need not be asked for, as with the real library.
//
// A name expression ("scale<float>") becomes a variable of the device that holds
// its address; in the finished code object the kernel or variable with this
// address has the lowered name.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include "hk/Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <hip/hiprtc.h>

#include <cstring>
#include <map>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

struct _hiprtcProgram {
  std::string Source, Name, Log;
  std::vector<std::pair<std::string, std::string>> Headers; ///< name and text
  std::vector<std::string> Expressions;
  std::map<std::string, std::string> Lowered;
  std::vector<char> Code;
};

static const char AnchorPrefix[] = "__hk_rtc_name_";

static bool write(const Twine &Path, StringRef Text) {
  SmallString<128> Name;
  Path.toVector(Name);
  sys::fs::create_directories(sys::path::parent_path(Name));
  std::error_code EC;
  raw_fd_ostream OS(Name, EC);
  OS << Text;
  return !EC;
}

static std::string sourceOf(const _hiprtcProgram &P) {
  std::string Text = P.Source + "\n";
  for (auto [N, Expression] : enumerate(P.Expressions))
    Text += "extern \"C\" __device__ __attribute__((used)) const void *" + (AnchorPrefix + std::to_string(N)) +
            " = (const void *)&(" + Expression + ");\n";
  return Text;
}

/// The lowered names, from the anchors that sourceOf() added. False if the code object is none.
static bool findNames(_hiprtcProgram &P) {
  sim::DeviceMemory Memory;
  auto M = sim::Module::load(ArrayRef(reinterpret_cast<const uint8_t *>(P.Code.data()), P.Code.size()), Memory);
  if (!M) {
    P.Log += toString(M.takeError());
    return false;
  }
  std::map<uint64_t, std::string> Names;
  for (const auto &K : (*M)->kernels())
    Names[K->Entry] = K->Name;
  for (const sim::Variable &V : (*M)->variables())
    Names[V.Address] = V.Name;
  for (const sim::Variable &V : (*M)->variables()) {
    StringRef Number = V.Name;
    unsigned N;
    if (!Number.consume_front(AnchorPrefix) || Number.getAsInteger(10, N) || N >= P.Expressions.size())
      continue;
    uint64_t Address;
    std::memcpy(&Address, reinterpret_cast<const void *>(V.Address), 8);
    if (auto It = Names.find(Address); It != Names.end())
      P.Lowered[P.Expressions[N]] = It->second;
  }
  return true;
}

/// nvrtc's spelling of the architecture, and what only chooses a device, are no options of clang.
static void addOption(std::vector<std::string> &Arguments, StringRef Option, bool &HasArch) {
  if (Option.consume_front("--gpu-architecture=") || Option.consume_front("--offload-arch=")) {
    HasArch = true;
    Arguments.push_back("--offload-arch=" + Option.str());
  } else if (Option != "-default-device" && Option != "--default-device") {
    Arguments.push_back(Option.str());
  }
}

static hiprtcResult compile(_hiprtcProgram &P, ArrayRef<const char *> Options, StringRef Folder) {
  std::string In = (Folder + "/" + (P.Name.empty() ? "program.hip" : sys::path::filename(P.Name).str() + ".hip")).str();
  std::string Out = (Folder + "/program.co").str(), Log = (Folder + "/log").str();
  bool Ok = write(In, sourceOf(P));
  for (auto &[Name, Text] : P.Headers)
    Ok &= write(Folder + "/include/" + Name, Text);
  if (!Ok)
    return HIPRTC_ERROR_INTERNAL_ERROR;
  std::string Clang = HK_LLVM_TOOLS_DIR "/clang";
  std::vector<std::string> Arguments = {Clang, "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-c",
                                        "--no-default-config", "-O3", "-include", "hip/hip_runtime.h",
                                        "-D__AMDGCN_WAVEFRONT_SIZE=64", "--rocm-path=" HK_DEFAULT_ROCM_PATH,
                                        ("-I" + Folder + "/include").str()};
  bool HasArch = false;
  for (const char *Option : Options)
    addOption(Arguments, Option, HasArch);
  if (!HasArch)
    Arguments.push_back("--offload-arch=" + std::string(Runtime::get().chip().Processor));
  Arguments.insert(Arguments.end(), {In, "-o", Out});
  std::vector<StringRef> Argv(Arguments.begin(), Arguments.end());
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(Log), StringRef(Log)};
  std::string Problem;
  int Code = sys::ExecuteAndWait(Clang, Argv, std::nullopt, Redirects, 0, 0, &Problem);
  if (auto Buffer = MemoryBuffer::getFile(Log))
    P.Log = (*Buffer)->getBuffer().str();
  P.Log += Problem;
  if (Code)
    return HIPRTC_ERROR_COMPILATION;
  auto Buffer = MemoryBuffer::getFile(Out, false, false);
  if (!Buffer)
    return HIPRTC_ERROR_INTERNAL_ERROR;
  P.Code.assign((*Buffer)->getBufferStart(), (*Buffer)->getBufferEnd());
  return findNames(P) ? HIPRTC_SUCCESS : HIPRTC_ERROR_INTERNAL_ERROR;
}

extern "C" {

hiprtcResult hiprtcVersion(int *Major, int *Minor) {
  if (!Major || !Minor)
    return HIPRTC_ERROR_INVALID_INPUT;
  *Major = 9;
  *Minor = 0;
  return HIPRTC_SUCCESS;
}

const char *hiprtcGetErrorString(hiprtcResult R) {
  switch (R) {
#define HK_CASE(Name)                                                                              \
  case Name:                                                                                       \
    return #Name;
    HK_CASE(HIPRTC_SUCCESS)
    HK_CASE(HIPRTC_ERROR_OUT_OF_MEMORY)
    HK_CASE(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE)
    HK_CASE(HIPRTC_ERROR_INVALID_INPUT)
    HK_CASE(HIPRTC_ERROR_INVALID_PROGRAM)
    HK_CASE(HIPRTC_ERROR_INVALID_OPTION)
    HK_CASE(HIPRTC_ERROR_COMPILATION)
    HK_CASE(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    HK_CASE(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
    HK_CASE(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
    HK_CASE(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    HK_CASE(HIPRTC_ERROR_INTERNAL_ERROR)
    HK_CASE(HIPRTC_ERROR_LINKING)
#undef HK_CASE
  }
  return "unknown hiprtc error";
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *Program, const char *Source, const char *Name, int Count,
                                 const char **Headers, const char **Names) {
  if (!Program)
    return HIPRTC_ERROR_INVALID_PROGRAM;
  if (!Source || Count < 0 || (Count && (!Headers || !Names)))
    return HIPRTC_ERROR_INVALID_INPUT;
  auto P = std::make_unique<_hiprtcProgram>();
  P->Source = Source;
  P->Name = Name ? Name : "";
  for (int N = 0; N != Count; ++N) {
    // A header stays in its folder.
    if (StringRef(Names[N]).contains("..") || sys::path::is_absolute(Names[N]))
      return HIPRTC_ERROR_INVALID_INPUT;
    P->Headers.push_back({Names[N], Headers[N]});
  }
  *Program = P.release();
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram *Program) {
  if (!Program || !*Program)
    return HIPRTC_ERROR_INVALID_PROGRAM;
  delete *Program;
  *Program = nullptr;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram P, const char *Expression) {
  if (!P || !Expression)
    return P ? HIPRTC_ERROR_INVALID_INPUT : HIPRTC_ERROR_INVALID_PROGRAM;
  if (!P->Code.empty())
    return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  // "&name" is as good as "name".
  P->Expressions.push_back(StringRef(Expression).ltrim("& ").str());
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram P, const char *Expression, const char **Name) {
  if (!P)
    return HIPRTC_ERROR_INVALID_PROGRAM;
  if (!Expression || !Name)
    return HIPRTC_ERROR_INVALID_INPUT;
  if (P->Code.empty())
    return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  auto It = P->Lowered.find(StringRef(Expression).ltrim("& ").str());
  if (It == P->Lowered.end())
    return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *Name = It->second.c_str();
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram P, int Count, const char **Options) {
  if (!P)
    return HIPRTC_ERROR_INVALID_PROGRAM;
  if (Count < 0 || (Count && !Options))
    return HIPRTC_ERROR_INVALID_INPUT;
  SmallString<128> Folder;
  if (sys::fs::createUniqueDirectory("hk-rtc", Folder))
    return HIPRTC_ERROR_INTERNAL_ERROR;
  P->Code.clear();
  P->Lowered.clear();
  hiprtcResult R = compile(*P, ArrayRef(Options, size_t(Count)), Folder);
  sys::fs::remove_directories(Folder);
  return R;
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram P, size_t *Size) {
  if (!P || !Size)
    return P ? HIPRTC_ERROR_INVALID_INPUT : HIPRTC_ERROR_INVALID_PROGRAM;
  *Size = P->Log.empty() ? 0 : P->Log.size() + 1;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram P, char *To) {
  if (!P || !To)
    return P ? HIPRTC_ERROR_INVALID_INPUT : HIPRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(To, P->Log.c_str(), P->Log.size() + 1);
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram P, size_t *Size) {
  if (!P || !Size)
    return P ? HIPRTC_ERROR_INVALID_INPUT : HIPRTC_ERROR_INVALID_PROGRAM;
  *Size = P->Code.size();
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcGetCode(hiprtcProgram P, char *To) {
  if (!P || !To)
    return P ? HIPRTC_ERROR_INVALID_INPUT : HIPRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(To, P->Code.data(), P->Code.size());
  return HIPRTC_SUCCESS;
}

} // extern "C"
