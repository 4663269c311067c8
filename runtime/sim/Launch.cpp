//===- Launch.cpp - Kernel launches ---------------------------------------===//

#include "Snapshot.h"
#include "Streams.h"

#include "hk/Sim/HostServices.h"

#include "llvm/ADT/Twine.h"

#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

static constexpr uint32_t MaxBlock = 1024;

namespace {

struct CallConfiguration {
  dim3 Grid, Block;
  size_t DynamicLds;
  hipStream_t Stream;
};

std::vector<CallConfiguration> &configurations() {
  static thread_local std::vector<CallConfiguration> Stack;
  return Stack;
}

} // namespace

/// Its memory lives as long as the process, as pointers into it may.
static sim::HostServices &services() {
  static auto *Services = new sim::HostServices(
      Runtime::get().memory(),
      {[](StringRef Text, bool ToStderr) { std::fwrite(Text.data(), 1, Text.size(), ToStderr ? stderr : stdout); },
       [](const Twine &Message) { complain(Message); },
       /*Functions=*/true});
  return *Services;
}

static hipError_t errorOf(sim::FaultKind Kind) {
  switch (Kind) {
  case sim::FaultKind::OutOfBounds:
  case sim::FaultKind::UseAfterFree:
  case sim::FaultKind::ReadOnly:
  case sim::FaultKind::Misaligned:
    return hipErrorIllegalAddress;
  case sim::FaultKind::Hang:
    return hipErrorLaunchTimeOut;
  case sim::FaultKind::Trap:
    return hipErrorAssert;
  default:
    return hipErrorLaunchFailure;
  }
}

hipError_t hk::hip::executeKernel(KernelOp &Op) {
  Runtime &R = Runtime::get();
  if (R.fault() != hipSuccess)
    return R.fault();
  const sim::Kernel &K = *Op.Function->Kernel;
  if (Op.Start)
    stamp(*Op.Start);

  sim::LaunchConfig Config;
  Config.Grid = {Op.Grid.x, Op.Grid.y, Op.Grid.z};
  Config.Block = {Op.Block.x, Op.Block.y, Op.Block.z};
  Config.GridItems = {Op.GridItems[0], Op.GridItems[1], Op.GridItems[2]};
  Config.DynamicLds = Op.DynamicLds;
  Config.Cooperative = Op.Cooperative;
  services().prepare(K, Config);

  Expected<sim::LaunchResult> Result = R.device().launch(K, Config, Op.Arguments);
  services().serve();
  if (!Result) {
    hipError_t E = hipErrorLaunchFailure;
    handleAllErrors(
        Result.takeError(),
        [&](const sim::Fault &F) {
          E = errorOf(F.Kind);
          std::string Text;
          raw_string_ostream OS(Text);
          F.log(OS);
          complain(Text);
        },
        [&](const ErrorInfoBase &Other) {
          E = hipErrorLaunchFailure;
          complain("kernel " + K.Name + ": " + Other.message());
        });
    R.setFault(E);
    return E;
  }
  R.count(K, *Result);
  R.advance(Result->ModelCycles > 0 ? Result->ModelCycles / (R.chip().ClockKHz * 1e3)
                                    : Result->HostSeconds);
  if (Op.Stop)
    stamp(*Op.Stop);
  snapshot(Op);
  return hipSuccess;
}

/// Copies the arguments to where the kernel expects them.
static hipError_t packArguments(KernelOp &Op, void **Arguments, void **Extra) {
  const sim::Kernel &K = *Op.Function->Kernel;
  Op.Arguments.assign(K.ExplicitSize, 0);
  if (Extra) {
    const void *Buffer = nullptr;
    size_t Size = 0;
    for (void **P = Extra; *P != HIP_LAUNCH_PARAM_END; P += 2) {
      if (*P == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        Buffer = P[1];
      else if (*P == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        Size = *static_cast<size_t *>(P[1]);
      else
        return hipErrorInvalidValue;
    }
    if (!Buffer && Size)
      return hipErrorInvalidValue;
    std::memcpy(Op.Arguments.data(), Buffer, std::min<size_t>(Size, Op.Arguments.size()));
    return hipSuccess;
  }
  unsigned Index = 0;
  for (const sim::KernelArgument &A : K.Arguments) {
    if (A.hidden())
      continue;
    if (!Arguments || !Arguments[Index])
      return hipErrorInvalidValue;
    std::memcpy(Op.Arguments.data() + A.Offset, Arguments[Index++], A.Size);
  }
  return hipSuccess;
}

hipError_t hk::hip::checkKernel(const KernelOp &Op) {
  const sim::Kernel &K = *Op.Function->Kernel;
  uint64_t Threads = uint64_t(Op.Block.x) * Op.Block.y * Op.Block.z;
  if (!Op.Grid.x || !Op.Grid.y || !Op.Grid.z || !Threads || Threads > MaxBlock ||
      Op.Block.x > MaxBlock || Op.Block.y > MaxBlock || Op.Block.z > MaxBlock)
    return hipErrorInvalidConfiguration;
  for (uint64_t Items : {uint64_t(Op.Grid.x) * Op.Block.x, uint64_t(Op.Grid.y) * Op.Block.y,
                         uint64_t(Op.Grid.z) * Op.Block.z})
    if (Items > UINT32_MAX)
      return hipErrorInvalidConfiguration;
  if (Threads > K.MaxWorkgroupSize) {
    complain("kernel " + K.Name + " is launched with " + Twine(Threads) +
             " work-items a workgroup but was compiled for at most " + Twine(K.MaxWorkgroupSize));
    return hipErrorLaunchFailure;
  }
  if (K.LdsSize + uint64_t(Op.DynamicLds) > Runtime::get().chip().Lds)
    return hipErrorInvalidValue;
  return hipSuccess;
}

hipError_t hk::hip::prepareKernel(KernelOp &Op, const void *Stub, dim3 Grid, dim3 Block,
                                  void **Arguments, void **Extra, size_t DynamicLds) {
  if (!Stub)
    return hipErrorInvalidDeviceFunction;
  Op.Stub = Stub;
  Op.Grid = Grid;
  Op.Block = Block;
  if (DynamicLds > Runtime::get().chip().Lds)
    return hipErrorInvalidValue;
  Op.DynamicLds = uint32_t(DynamicLds);
  if (hipError_t E = Runtime::get().findFunction(Stub, Op.Function))
    return E;
  if (hipError_t E = checkKernel(Op))
    return E;
  return packArguments(Op, Arguments, Extra);
}

/// As many workgroups as the chip holds at a time.
static hipError_t checkCooperative(KernelOp &Op) {
  Op.Cooperative = true;
  int Blocks = 0;
  unsigned Threads = Op.Block.x * Op.Block.y * Op.Block.z;
  if (hipError_t E = hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
          &Blocks, Op.Function, int(Threads), Op.DynamicLds))
    return E;
  uint64_t Grid = uint64_t(Op.Grid.x) * Op.Grid.y * Op.Grid.z;
  return Grid > uint64_t(Blocks) * unsigned(Runtime::get().chip().Units)
             ? hipErrorCooperativeLaunchTooLarge
             : hipSuccess;
}

static hipError_t launch(hipStream_t Stream, KernelOp &Op, hipError_t Prepared,
                         bool Cooperative = false) {
  if (Prepared != hipSuccess)
    return done(Prepared);
  if (Cooperative)
    if (hipError_t E = checkCooperative(Op))
      return done(E);
  return done(submit(Stream, std::move(Op)));
}

extern "C" {

hipError_t __hipPushCallConfiguration(dim3 Grid, dim3 Block, size_t DynamicLds,
                                      hipStream_t Stream) {
  configurations().push_back({Grid, Block, DynamicLds, Stream});
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *DynamicLds,
                                     hipStream_t *Stream) {
  if (configurations().empty())
    return done(hipErrorMissingConfiguration);
  CallConfiguration C = configurations().back();
  configurations().pop_back();
  *Grid = C.Grid;
  *Block = C.Block;
  *DynamicLds = C.DynamicLds;
  *Stream = C.Stream;
  return hipSuccess;
}

hipError_t hipConfigureCall(dim3 Grid, dim3 Block, size_t DynamicLds, hipStream_t Stream) {
  return __hipPushCallConfiguration(Grid, Block, DynamicLds, Stream);
}

hipError_t hipLaunchKernel(const void *Function, dim3 Grid, dim3 Block, void **Arguments,
                           size_t DynamicLds, hipStream_t Stream) {
  ApiLock Lock;
  KernelOp Op;
  return launch(Stream, Op,
                prepareKernel(Op, Function, Grid, Block, Arguments, nullptr, DynamicLds));
}

hipError_t hipLaunchKernel_spt(const void *Function, dim3 Grid, dim3 Block, void **Arguments,
                               size_t DynamicLds, hipStream_t Stream) {
  return hipLaunchKernel(Function, Grid, Block, Arguments, DynamicLds,
                         Stream ? Stream : hipStreamPerThread);
}

hipError_t hipExtLaunchKernel(const void *Function, dim3 Grid, dim3 Block, void **Arguments,
                              size_t DynamicLds, hipStream_t Stream, hipEvent_t Start,
                              hipEvent_t Stop, int) {
  ApiLock Lock;
  if ((Start && !isEvent(Start)) || (Stop && !isEvent(Stop)))
    return done(hipErrorInvalidResourceHandle);
  KernelOp Op;
  Op.Start = Start;
  Op.Stop = Stop;
  return launch(Stream, Op,
                prepareKernel(Op, Function, Grid, Block, Arguments, nullptr, DynamicLds));
}

hipError_t hipLaunchCooperativeKernel(const void *Function, dim3 Grid, dim3 Block, void **Arguments,
                                      unsigned DynamicLds, hipStream_t Stream) {
  ApiLock Lock;
  KernelOp Op;
  return launch(Stream, Op,
                prepareKernel(Op, Function, Grid, Block, Arguments, nullptr, DynamicLds), true);
}

hipError_t hipLaunchCooperativeKernel_spt(const void *Function, dim3 Grid, dim3 Block,
                                          void **Arguments, uint32_t DynamicLds,
                                          hipStream_t Stream) {
  return hipLaunchCooperativeKernel(Function, Grid, Block, Arguments, DynamicLds,
                                    Stream ? Stream : hipStreamPerThread);
}

hipError_t hipModuleLaunchKernel(hipFunction_t Function, unsigned GridX, unsigned GridY,
                                 unsigned GridZ, unsigned BlockX, unsigned BlockY, unsigned BlockZ,
                                 unsigned DynamicLds, hipStream_t Stream, void **Arguments,
                                 void **Extra) {
  ApiLock Lock;
  if (Arguments && Extra)
    return done(hipErrorInvalidValue);
  KernelOp Op;
  return launch(Stream, Op,
                prepareKernel(Op, Function, dim3(GridX, GridY, GridZ), dim3(BlockX, BlockY, BlockZ),
                              Arguments, Extra, DynamicLds));
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t Function, unsigned GridX, unsigned GridY,
                                            unsigned GridZ, unsigned BlockX, unsigned BlockY,
                                            unsigned BlockZ, unsigned DynamicLds,
                                            hipStream_t Stream, void **Arguments) {
  ApiLock Lock;
  KernelOp Op;
  return launch(Stream, Op,
                prepareKernel(Op, Function, dim3(GridX, GridY, GridZ), dim3(BlockX, BlockY, BlockZ),
                              Arguments, nullptr, DynamicLds),
                true);
}

// Sizes are in work-items, and need not be whole workgroups.
hipError_t hipExtModuleLaunchKernel(hipFunction_t Function, uint32_t ItemsX, uint32_t ItemsY,
                                    uint32_t ItemsZ, uint32_t BlockX, uint32_t BlockY,
                                    uint32_t BlockZ, size_t DynamicLds, hipStream_t Stream,
                                    void **Arguments, void **Extra, hipEvent_t Start,
                                    hipEvent_t Stop, uint32_t) {
  ApiLock Lock;
  if (!BlockX || !BlockY || !BlockZ || (Arguments && Extra))
    return done(hipErrorInvalidValue);
  if ((Start && !isEvent(Start)) || (Stop && !isEvent(Stop)))
    return done(hipErrorInvalidResourceHandle);
  auto Groups = [](uint64_t Items, uint32_t Block) {
    return uint32_t((Items + Block - 1) / Block);
  };
  KernelOp Op;
  Op.GridItems[0] = ItemsX;
  Op.GridItems[1] = ItemsY;
  Op.GridItems[2] = ItemsZ;
  Op.Start = Start;
  Op.Stop = Stop;
  return launch(
      Stream, Op,
      prepareKernel(Op, Function,
                    dim3(Groups(ItemsX, BlockX), Groups(ItemsY, BlockY), Groups(ItemsZ, BlockZ)),
                    dim3(BlockX, BlockY, BlockZ), Arguments, Extra, DynamicLds));
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t Function, uint32_t ItemsX, uint32_t ItemsY,
                                    uint32_t ItemsZ, uint32_t BlockX, uint32_t BlockY,
                                    uint32_t BlockZ, size_t DynamicLds, hipStream_t Stream,
                                    void **Arguments, void **Extra, hipEvent_t Start,
                                    hipEvent_t Stop) {
  return hipExtModuleLaunchKernel(Function, ItemsX, ItemsY, ItemsZ, BlockX, BlockY, BlockZ,
                                  DynamicLds, Stream, Arguments, Extra, Start, Stop, 0);
}

} // extern "C"
