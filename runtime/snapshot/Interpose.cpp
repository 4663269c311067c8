//===- Interpose.cpp - Snapshots of programs on a real GPU ----------------===//
//
// Loaded before the HIP library (LD_PRELOAD). Calls that allocate, name or launch
// go on to the real library; after a launch this one waits for the device and
// writes what its memory holds. Launches that are captured into a graph are
// written when the graph is launched. No header of HIP is needed: handles are
// pointers, dimensions three words, and these interfaces are stable.
//
//===----------------------------------------------------------------------===//

#include "SnapshotWriter.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace hk::snapshot;

namespace {

using Status = int; // hipError_t
struct Dim3 {
  uint32_t X, Y, Z;
};
constexpr int DeviceToHost = 2;

template <typename Fn> Fn *next(const char *Name) {
  auto *F = reinterpret_cast<Fn *>(dlsym(RTLD_NEXT, Name));
  if (!F) {
    std::fprintf(stderr, "hk-snapshot: the HIP library has no %s\n", Name);
    std::abort();
  }
  return F;
}

struct State {
  std::recursive_mutex Mutex;
  struct Memory {
    uint64_t Size, Serial;
  };
  std::map<uint64_t, Memory> Live;
  uint64_t Serial = 0;
  std::map<const void *, std::string> Kernels; ///< by stub or function handle
  std::map<std::string, std::pair<const void *, uint64_t>> Variables;
};

State &state() {
  static State *const S = new State;
  return *S;
}

void allocated(void *Address, size_t Size) {
  std::lock_guard Lock(state().Mutex);
  state().Live[reinterpret_cast<uint64_t>(Address)] = {Size, ++state().Serial};
}

void freed(void *Address) {
  std::lock_guard Lock(state().Mutex);
  state().Live.erase(reinterpret_cast<uint64_t>(Address));
}

void named(const void *Kernel, const char *Name) {
  std::lock_guard Lock(state().Mutex);
  state().Kernels[Kernel] = Name;
}

bool isCapturing(void *Stream) {
  static auto *Query = next<Status(void *, int *)>("hipStreamIsCapturing");
  int Capturing = 0;
  return !Query(Stream, &Capturing) && Capturing;
}

void snapshot(const std::string &Kernel) {
  Writer *W = Writer::get("HK_SNAPSHOT");
  if (!W)
    return;
  static auto *Synchronize = next<Status()>("hipDeviceSynchronize");
  static auto *Copy = next<Status(void *, const void *, size_t, int)>("hipMemcpy");
  static auto *FromSymbol = next<Status(void *, const void *, size_t, size_t, int)>("hipMemcpyFromSymbol");
  static auto *SymbolAddress = next<Status(void **, const void *)>("hipGetSymbolAddress");
  std::lock_guard Lock(state().Mutex);
  if (Synchronize())
    return;
  std::vector<Region> All;
  for (auto &[Base, M] : state().Live) {
    Region R;
    R.Base = Base;
    R.Size = M.Size;
    R.Serial = M.Serial;
    R.Read = [Base = Base, Size = M.Size](uint8_t *To) {
      return !Copy(To, reinterpret_cast<const void *>(Base), Size, DeviceToHost);
    };
    All.push_back(std::move(R));
  }
  for (auto &[Name, V] : state().Variables) {
    Region R;
    void *Address = nullptr;
    if (SymbolAddress(&Address, V.first))
      continue;
    R.Variable = Name;
    R.Base = reinterpret_cast<uint64_t>(Address);
    R.Size = V.second;
    R.Read = [V = V](uint8_t *To) { return !FromSymbol(To, V.first, V.second, 0, DeviceToHost); };
    All.push_back(std::move(R));
  }
  W->launch(Kernel, {}, std::move(All));
}

void launched(Status S, const void *Kernel, void *Stream) {
  if (S || isCapturing(Stream))
    return;
  std::string Name;
  {
    std::lock_guard Lock(state().Mutex);
    auto It = state().Kernels.find(Kernel);
    Name = It == state().Kernels.end() ? "?" : It->second;
  }
  snapshot(Name);
}

} // namespace

#define HK_EXPORT extern "C" __attribute__((visibility("default")))

HK_EXPORT Status hipMalloc(void **To, size_t Size) {
  static auto *Real = next<Status(void **, size_t)>("hipMalloc");
  Status S = Real(To, Size);
  if (!S && *To)
    allocated(*To, Size);
  return S;
}
HK_EXPORT Status hipMallocManaged(void **To, size_t Size, unsigned Flags) {
  static auto *Real = next<Status(void **, size_t, unsigned)>("hipMallocManaged");
  Status S = Real(To, Size, Flags);
  if (!S && *To)
    allocated(*To, Size);
  return S;
}
HK_EXPORT Status hipExtMallocWithFlags(void **To, size_t Size, unsigned Flags) {
  static auto *Real = next<Status(void **, size_t, unsigned)>("hipExtMallocWithFlags");
  Status S = Real(To, Size, Flags);
  if (!S && *To)
    allocated(*To, Size);
  return S;
}
HK_EXPORT Status hipMallocAsync(void **To, size_t Size, void *Stream) {
  static auto *Real = next<Status(void **, size_t, void *)>("hipMallocAsync");
  Status S = Real(To, Size, Stream);
  if (!S && *To)
    allocated(*To, Size);
  return S;
}
HK_EXPORT Status hipMallocFromPoolAsync(void **To, size_t Size, void *Pool, void *Stream) {
  static auto *Real = next<Status(void **, size_t, void *, void *)>("hipMallocFromPoolAsync");
  Status S = Real(To, Size, Pool, Stream);
  if (!S && *To)
    allocated(*To, Size);
  return S;
}
HK_EXPORT Status hipMallocPitch(void **To, size_t *Pitch, size_t Width, size_t Height) {
  static auto *Real = next<Status(void **, size_t *, size_t, size_t)>("hipMallocPitch");
  Status S = Real(To, Pitch, Width, Height);
  if (!S && *To)
    allocated(*To, *Pitch * Height);
  return S;
}
HK_EXPORT Status hipFree(void *Memory) {
  static auto *Real = next<Status(void *)>("hipFree");
  freed(Memory);
  return Real(Memory);
}
HK_EXPORT Status hipFreeAsync(void *Memory, void *Stream) {
  static auto *Real = next<Status(void *, void *)>("hipFreeAsync");
  freed(Memory);
  return Real(Memory, Stream);
}

HK_EXPORT void __hipRegisterFunction(void **Modules, const void *Stub, char *DeviceFunction, const char *Name, int Limit,
                                     void *Tid, void *Bid, void *Block, void *Grid, int *WarpSize) {
  static auto *Real = next<void(void **, const void *, char *, const char *, int, void *, void *, void *, void *, int *)>(
      "__hipRegisterFunction");
  named(Stub, Name);
  Real(Modules, Stub, DeviceFunction, Name, Limit, Tid, Bid, Block, Grid, WarpSize);
}
HK_EXPORT void __hipRegisterVar(void **Modules, void *Variable, char *HostName, char *Name, int External, size_t Size,
                                int Constant, int Global) {
  static auto *Real = next<void(void **, void *, char *, char *, int, size_t, int, int)>("__hipRegisterVar");
  {
    std::lock_guard Lock(state().Mutex);
    state().Variables[Name] = {Variable, Size};
  }
  Real(Modules, Variable, HostName, Name, External, Size, Constant, Global);
}
HK_EXPORT Status hipModuleGetFunction(void **Function, void *Module, const char *Name) {
  static auto *Real = next<Status(void **, void *, const char *)>("hipModuleGetFunction");
  Status S = Real(Function, Module, Name);
  if (!S)
    named(*Function, Name);
  return S;
}

HK_EXPORT Status hipLaunchKernel(const void *Stub, Dim3 Grid, Dim3 Block, void **Arguments, size_t Lds, void *Stream) {
  static auto *Real = next<Status(const void *, Dim3, Dim3, void **, size_t, void *)>("hipLaunchKernel");
  Status S = Real(Stub, Grid, Block, Arguments, Lds, Stream);
  launched(S, Stub, Stream);
  return S;
}
HK_EXPORT Status hipLaunchCooperativeKernel(const void *Stub, Dim3 Grid, Dim3 Block, void **Arguments, unsigned Lds,
                                            void *Stream) {
  static auto *Real = next<Status(const void *, Dim3, Dim3, void **, unsigned, void *)>("hipLaunchCooperativeKernel");
  Status S = Real(Stub, Grid, Block, Arguments, Lds, Stream);
  launched(S, Stub, Stream);
  return S;
}
HK_EXPORT Status hipExtLaunchKernel(const void *Stub, Dim3 Grid, Dim3 Block, void **Arguments, size_t Lds, void *Stream,
                                    void *Start, void *Stop, int Flags) {
  static auto *Real =
      next<Status(const void *, Dim3, Dim3, void **, size_t, void *, void *, void *, int)>("hipExtLaunchKernel");
  Status S = Real(Stub, Grid, Block, Arguments, Lds, Stream, Start, Stop, Flags);
  launched(S, Stub, Stream);
  return S;
}
HK_EXPORT Status hipModuleLaunchKernel(void *Function, unsigned GX, unsigned GY, unsigned GZ, unsigned BX, unsigned BY,
                                       unsigned BZ, unsigned Lds, void *Stream, void **Arguments, void **Extra) {
  static auto *Real = next<Status(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                                  void **, void **)>("hipModuleLaunchKernel");
  Status S = Real(Function, GX, GY, GZ, BX, BY, BZ, Lds, Stream, Arguments, Extra);
  launched(S, Function, Stream);
  return S;
}
HK_EXPORT Status hipExtModuleLaunchKernel(void *Function, uint32_t GX, uint32_t GY, uint32_t GZ, uint32_t BX,
                                          uint32_t BY, uint32_t BZ, size_t Lds, void *Stream, void **Arguments,
                                          void **Extra, void *Start, void *Stop, uint32_t Flags) {
  static auto *Real = next<Status(void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, void *,
                                  void **, void **, void *, void *, uint32_t)>("hipExtModuleLaunchKernel");
  Status S = Real(Function, GX, GY, GZ, BX, BY, BZ, Lds, Stream, Arguments, Extra, Start, Stop, Flags);
  launched(S, Function, Stream);
  return S;
}
HK_EXPORT Status hipGraphLaunch(void *Graph, void *Stream) {
  static auto *Real = next<Status(void *, void *)>("hipGraphLaunch");
  Status S = Real(Graph, Stream);
  if (!S && !isCapturing(Stream))
    snapshot("graph");
  return S;
}
