//===- Gpu.cpp ------------------------------------------------------------===//

#include "Gpu.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace hk;
using namespace hk::verification;

namespace {

using Status = int; // hipError_t
constexpr Status NoBinaryForGpu = 209;
enum CopyKind : int { HostToDevice = 1, DeviceToHost = 2 };

/// Ends of the list of a launch's extra parameters (HIP_LAUNCH_PARAM_*).
void *const ParamBuffer = reinterpret_cast<void *>(1), *const ParamSize = reinterpret_cast<void *>(2),
            *const ParamEnd = reinterpret_cast<void *>(3);

} // namespace

struct Gpu::Library {
  Status (*hipInit)(unsigned);
  Status (*hipGetDeviceCount)(int *);
  Status (*hipDeviceGetName)(char *, int, int);
  const char *(*hipGetErrorString)(Status);
  Status (*hipMalloc)(void **, size_t);
  Status (*hipFree)(void *);
  Status (*hipMemcpy)(void *, const void *, size_t, int);
  Status (*hipModuleLoadData)(void **, const void *);
  Status (*hipModuleUnload)(void *);
  Status (*hipModuleGetFunction)(void **, void *, const char *);
  Status (*hipModuleGetGlobal)(void **, size_t *, void *, const char *);
  Status (*hipModuleLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                                  void **, void **);
  Status (*hipModuleLaunchCooperativeKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                             unsigned, void *, void **);
  Status (*hipDeviceSynchronize)();

  Error check(Status S, const Twine &What) const {
    if (!S)
      return Error::success();
    if (S == NoBinaryForGpu)
      return createStringError("the GPU does not run code for this target; --target=ARCH names its own");
    return createStringError(What + ": " + hipGetErrorString(S));
  }
};

Gpu::Gpu(std::unique_ptr<Library> L) : L(std::move(L)) {}
Gpu::~Gpu() = default;

Expected<std::unique_ptr<Gpu>> Gpu::open() {
  std::string Problem;
  sys::DynamicLibrary Loaded;
  std::vector<std::string> Names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"};
  if (!library().empty())
    Names = {library().str()};
  for (const std::string &Name : Names) {
    Loaded = sys::DynamicLibrary::getPermanentLibrary(Name.c_str(), &Problem);
    if (Loaded.isValid())
      break;
  }
  if (!Loaded.isValid())
    return createStringError("no HIP library was found: " + Problem);
  auto L = std::make_unique<Library>();
  std::string Missing;
  auto Find = [&](auto &Function, const char *Name) {
    void *Symbol = Loaded.getAddressOfSymbol(Name);
    if (!Symbol && Missing.empty())
      Missing = Name;
    Function = reinterpret_cast<std::decay_t<decltype(Function)>>(Symbol);
  };
  Find(L->hipInit, "hipInit");
  Find(L->hipGetDeviceCount, "hipGetDeviceCount");
  Find(L->hipDeviceGetName, "hipDeviceGetName");
  Find(L->hipGetErrorString, "hipGetErrorString");
  Find(L->hipMalloc, "hipMalloc");
  Find(L->hipFree, "hipFree");
  Find(L->hipMemcpy, "hipMemcpy");
  Find(L->hipModuleLoadData, "hipModuleLoadData");
  Find(L->hipModuleUnload, "hipModuleUnload");
  Find(L->hipModuleGetFunction, "hipModuleGetFunction");
  Find(L->hipModuleGetGlobal, "hipModuleGetGlobal");
  Find(L->hipModuleLaunchKernel, "hipModuleLaunchKernel");
  Find(L->hipModuleLaunchCooperativeKernel, "hipModuleLaunchCooperativeKernel");
  Find(L->hipDeviceSynchronize, "hipDeviceSynchronize");
  if (!Missing.empty())
    return createStringError("the HIP library has no " + Missing);
  int Count = 0;
  if (Error E = L->check(L->hipInit(0), "hipInit"))
    return std::move(E);
  if (Error E = L->check(L->hipGetDeviceCount(&Count), "hipGetDeviceCount"))
    return std::move(E);
  if (!Count)
    return createStringError("there is no GPU");
  return std::unique_ptr<Gpu>(new Gpu(std::move(L)));
}

StringRef Gpu::library() {
  const char *Given = std::getenv("HK_HIP_LIBRARY");
  return Given ? Given : "";
}

Expected<std::string> Gpu::probe() {
  if (library().empty() && !sys::fs::exists("/dev/kfd"))
    return createStringError("this machine has no AMD GPU (there is no /dev/kfd); use --device=sim");
  int Ends[2];
  if (pipe(Ends))
    return createStringError(std::string("cannot make a pipe: ") + strerror(errno));
  outs().flush();
  errs().flush();
  pid_t Child = fork();
  if (Child < 0)
    return createStringError(std::string("cannot start a process: ") + strerror(errno));
  if (!Child) {
    close(Ends[0]);
    raw_fd_ostream Out(Ends[1], /*shouldClose=*/false);
    Expected<std::unique_ptr<Gpu>> G = open();
    if (G)
      Out << "+" << (*G)->name();
    else
      Out << "-" << toString(G.takeError());
    Out.flush();
    _exit(0);
  }
  close(Ends[1]);
  std::string Text;
  char Chunk[512];
  for (ssize_t N; (N = read(Ends[0], Chunk, sizeof Chunk)) > 0 || (N < 0 && errno == EINTR);)
    if (N > 0)
      Text.append(Chunk, size_t(N));
  close(Ends[0]);
  while (waitpid(Child, nullptr, 0) < 0 && errno == EINTR)
    ;
  if (!StringRef(Text).starts_with("+"))
    return createStringError(Text.empty() ? "the HIP library ended the process" : Text.substr(1));
  return Text.substr(1);
}

std::string Gpu::name() const {
  char Name[256] = {};
  return L->hipDeviceGetName(Name, sizeof Name - 1, 0) ? "a GPU" : Name;
}

Expected<GpuMemory> Gpu::launch(ArrayRef<uint8_t> Image, const std::string &Kernel, bool Cooperative,
                                const CaseInputs &Inputs,
                                const std::vector<std::pair<std::string, uint64_t>> &Variables) {
  std::vector<void *> Copies;
  void *Module = nullptr;
  scope_exit CleanUp([&] {
    if (Module)
      L->hipModuleUnload(Module);
    for (void *C : Copies)
      L->hipFree(C);
  });
  const std::vector<DeviceBuffer> &Buffers = Inputs.buffers();
  std::vector<std::vector<uint8_t>> Contents;
  for (const DeviceBuffer &B : Buffers) {
    void *Copy;
    if (Error E = L->check(L->hipMalloc(&Copy, std::max<size_t>(B.Bytes, 1)), "hipMalloc"))
      return std::move(E);
    Copies.push_back(Copy);
    Contents.push_back(B.Initial);
  }
  std::vector<uint8_t> Arguments = Inputs.arguments();
  for (const InputPointer &P : Inputs.pointers()) {
    uint64_t Address = reinterpret_cast<uint64_t>(Copies[P.Target]) + P.Byte;
    std::memcpy((P.Holder < 0 ? Arguments : Contents[P.Holder]).data() + P.Offset, &Address, 8);
  }
  for (auto [N, Bytes] : enumerate(Contents))
    if (Error E = L->check(L->hipMemcpy(Copies[N], Bytes.data(), Bytes.size(), HostToDevice), "hipMemcpy"))
      return std::move(E);
  if (Error E = L->check(L->hipModuleLoadData(&Module, Image.data()), "hipModuleLoadData"))
    return std::move(E);
  void *Function;
  if (Error E = L->check(L->hipModuleGetFunction(&Function, Module, Kernel.c_str()), "hipModuleGetFunction"))
    return std::move(E);

  sim::LaunchConfig C = Inputs.config();
  Status S;
  if (Cooperative) {
    // This call takes the arguments one by one.
    std::vector<void *> Each;
    for (uint64_t Offset : Inputs.argumentOffsets())
      Each.push_back(Arguments.data() + Offset);
    S = L->hipModuleLaunchCooperativeKernel(Function, C.Grid.X, C.Grid.Y, C.Grid.Z, C.Block.X, C.Block.Y, C.Block.Z,
                                            C.DynamicLds, nullptr, Each.data());
  } else {
    size_t Size = Arguments.size();
    void *Extra[] = {ParamBuffer, Arguments.data(), ParamSize, &Size, ParamEnd};
    S = L->hipModuleLaunchKernel(Function, C.Grid.X, C.Grid.Y, C.Grid.Z, C.Block.X, C.Block.Y, C.Block.Z, C.DynamicLds,
                                 nullptr, nullptr, Extra);
  }
  if (Error E = L->check(S, "the launch"))
    return std::move(E);
  if (Error E = L->check(L->hipDeviceSynchronize(), "the kernel"))
    return std::move(E);

  GpuMemory M;
  for (auto [N, Copy] : enumerate(Copies)) {
    M.Buffers.emplace_back(Buffers[N].Bytes);
    if (Error E = L->check(L->hipMemcpy(M.Buffers.back().data(), Copy, Buffers[N].Bytes, DeviceToHost), "hipMemcpy"))
      return std::move(E);
  }
  // Addresses as the inputs have them: those of the copies change from launch to launch.
  for (std::vector<uint8_t> &Bytes : M.Buffers)
    for (size_t At = 0; At + 8 <= Bytes.size(); At += 8) {
      uint64_t Word;
      std::memcpy(&Word, Bytes.data() + At, 8);
      for (auto [N, Copy] : enumerate(Copies))
        if (uint64_t Byte = Word - reinterpret_cast<uint64_t>(Copy); Byte <= Buffers[N].Bytes && Byte != Word) {
          Word = reinterpret_cast<uint64_t>(Buffers[N].Base) + Byte;
          std::memcpy(Bytes.data() + At, &Word, 8);
          break;
        }
    }
  for (auto &[Name, Size] : Variables) {
    void *At;
    size_t Bytes;
    if (L->hipModuleGetGlobal(&At, &Bytes, Module, Name.c_str()) || Bytes != Size)
      continue;
    std::vector<uint8_t> &To = M.Variables[Name];
    To.resize(Size);
    if (Error E = L->check(L->hipMemcpy(To.data(), At, Size, DeviceToHost), "hipMemcpy"))
      return std::move(E);
  }
  return M;
}
