//===- Device.cpp - Launches kernels --------------------------------------===//

#include "hk/Sim/Device.h"

#include "Launcher.h"
#include "Mfma.h"
#include "Model.h"
#include "OpTable.h"
#include "Program.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <chrono>
#include <map>
#include <thread>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

Error failure(const Twine &Message) { return createStringError(inconvertibleErrorCode(), Message); }

constexpr uint32_t MaxLds = 64 * 1024, MaxLdsGfx950 = 160 * 1024;

Error checkConfig(const Kernel &K, const LaunchConfig &C) {
  uint64_t Items = uint64_t(C.Block.X) * C.Block.Y * C.Block.Z;
  if (!Items || Items > 1024 || C.Block.X > 1024 || C.Block.Y > 1024 || C.Block.Z > 1024)
    return failure("invalid launch: a workgroup of " + Twine(C.Block.X) + "x" + Twine(C.Block.Y) +
                   "x" + Twine(C.Block.Z) + " work-items");
  if (Items > K.MaxWorkgroupSize)
    return failure("invalid launch: a workgroup of " + Twine(Items) +
                   " work-items, where kernel '" + K.Name + "' was compiled for at most " +
                   Twine(K.MaxWorkgroupSize));
  if (!C.Grid.X || !C.Grid.Y || !C.Grid.Z)
    return failure("invalid launch: an empty grid");
  uint64_t Grid[3] = {C.Grid.X, C.Grid.Y, C.Grid.Z}, Block[3] = {C.Block.X, C.Block.Y, C.Block.Z};
  for (unsigned A = 0; A != 3; ++A)
    if (Grid[A] * Block[A] > UINT32_MAX)
      return failure("invalid launch: more than 2^32 work-items along an axis");
  uint32_t Limit = K.Owner->processor() == "gfx950" ? MaxLdsGfx950 : MaxLds;
  if (uint64_t(K.LdsSize) + C.DynamicLds > Limit)
    return failure("invalid launch: " + Twine(uint64_t(K.LdsSize) + C.DynamicLds) +
                   " bytes of LDS, the workgroup can have " + Twine(Limit));
  return Error::success();
}

/// The hidden argument of this kind, as the compiler's conventions define it.
uint64_t hiddenValue(StringRef Kind, const Launch &L, const LaunchConfig &C) {
  const uint32_t Size[3] = {C.Block.X, C.Block.Y, C.Block.Z};
  if (Kind.consume_front("hidden_block_count_")) {
    unsigned A = Kind.empty() ? 0 : (Kind[0] - 'x') % 3;
    return L.Items[A] / Size[A]; // whole workgroups
  }
  if (Kind.consume_front("hidden_group_size_"))
    return Size[Kind.empty() ? 0 : (Kind[0] - 'x') % 3];
  if (Kind.consume_front("hidden_remainder_")) {
    unsigned A = Kind.empty() ? 0 : (Kind[0] - 'x') % 3;
    return L.Items[A] % Size[A];
  }
  return StringSwitch<uint64_t>(Kind)
      .Case("hidden_grid_dims", 3)
      .Case("hidden_dynamic_lds_size", C.DynamicLds)
      .Case("hidden_hostcall_buffer", C.HostcallBuffer)
      .Case("hidden_printf_buffer", C.PrintfBuffer)
      .Case("hidden_heap_v1", C.Heap)
      .Case("hidden_multigrid_sync_arg", C.MultigridSync)
      .Case("hidden_default_queue", C.DefaultQueue)
      .Case("hidden_completion_action", C.CompletionAction)
      .Case("hidden_private_base", PrivateBase >> 32)
      .Case("hidden_shared_base", SharedBase >> 32)
      .Case("hidden_queue_ptr", L.Queue)
      .Default(0); // global offsets, none
}

void fillArguments(uint8_t *Segment, const Launch &L, const LaunchConfig &C,
                   ArrayRef<uint8_t> Arguments) {
  if (!Arguments.empty())
    std::memcpy(Segment, Arguments.data(), std::min<size_t>(Arguments.size(), L.K.KernargSize));
  for (const KernelArgument &A : L.K.Arguments)
    if (A.hidden()) {
      uint64_t X = hiddenValue(A.ValueKind, L, C);
      std::memcpy(Segment + A.Offset, &X, std::min<size_t>(A.Size, 8));
    }
}

/// hsa_kernel_dispatch_packet_t
void fillPacket(uint8_t *Packet, const Launch &L, const LaunchConfig &C) {
  auto Put = [&](unsigned Offset, auto X) { std::memcpy(Packet + Offset, &X, sizeof(X)); };
  Put(2, uint16_t(3));
  Put(4, uint16_t(C.Block.X));
  Put(6, uint16_t(C.Block.Y));
  Put(8, uint16_t(C.Block.Z));
  for (unsigned A = 0; A != 3; ++A)
    Put(12 + 4 * A, L.Items[A]);
  Put(24, L.ScratchSize);
  Put(28, L.LdsSize);
  Put(40, L.Kernarg);
}

/// What the threads counted at one instruction.
void add(Counters &To, const Inst &I, const InstCount &N, const AccessCount &A, bool Older) {
  To.WaveInstructions += N.Count;
  To.ByClass[unsigned(I.Class)] += N.Count;
  bool Vector =
      I.Class != InstClass::Salu && I.Class != InstClass::Smem && I.Class < InstClass::Branch;
  if (Vector) {
    To.LaneSlots += 64 * N.Count;
    To.ActiveLanes += N.Lanes;
  }
  To.Segments64 += A.Segments64;
  To.Lines128 += A.Lines128;
  To.Segments64Min += A.Segments64Min;
  To.Lines128Min += A.Lines128Min;
  To.BytesLoaded += A.BytesLoaded;
  To.BytesStored += A.BytesStored;
  To.BytesUsed += A.BytesUsed;
  To.Atomics += A.Atomics;
  To.LdsBytes += A.LdsBytes;
  To.LdsCycles += A.LdsCycles;
  To.LdsConflicts += A.LdsConflicts;
  if (I.Class == InstClass::Mfma) {
    const MfmaForm &Form = mfmaForms()[I.Op->Extra];
    To.Mfma += N.Count;
    To.MfmaCycles += N.Count * (Older ? Form.OlderCycles : Form.Cycles);
  }
}

void collect(const std::vector<std::unique_ptr<Scheduler>> &Threads, Program &Code, const Kernel &K,
             bool ByLine, LaunchResult &R) {
  std::map<std::pair<std::string, unsigned>, Counters> Lines;
  bool Older = K.Owner->processor() == "gfx90a";
  for (auto &T : Threads) {
    const Worker &W = T->worker();
    R.Counts.Workgroups += W.Workgroups;
    R.Counts.Waves += W.Waves;
    R.Counts.Barriers += W.Barriers;
    for (uint32_t Block : W.Blocks)
      Code.forEachOf(Block, [&](const Inst &I) {
        const InstCount &N = W.Counts[I.Index];
        if (!N.Count)
          return;
        const AccessCount &A = W.Accesses[I.Index];
        add(R.Counts, I, N, A, Older);
        if (ByLine) {
          std::optional<SourceLine> Line = K.Owner->sourceLine(I.Pc);
          add(Lines[Line ? std::pair(Line->File, Line->Line) : std::pair(std::string(), 0u)], I, N,
              A, Older);
        }
      });
  }
  for (auto &[Where, C] : Lines)
    R.Lines.push_back({Where.first, Where.second, C});
}

} // namespace

Device::Device(DeviceOptions Options)
    : Options(std::move(Options)), Kept(std::make_unique<Launcher>(Memory)) {
  Memory.trackWritten(this->Options.Uninitialized);
}
Device::~Device() = default;

Expected<LaunchResult> Device::launch(const Kernel &K, const LaunchConfig &Config,
                                      ArrayRef<uint8_t> Arguments) {
  auto Begin = std::chrono::steady_clock::now();
  if (Error E = checkConfig(K, Config))
    return std::move(E);
  if (Arguments.size() < K.ExplicitSize && !K.Arguments.empty())
    return failure("invalid launch: " + Twine(Arguments.size()) + " bytes of arguments, kernel '" +
                   K.Name + "' takes " + Twine(K.ExplicitSize));
  if (Options.Strict) {
    std::vector<std::string> Unknown = K.Owner->unknownInstructions(K);
    if (!Unknown.empty()) {
      std::string Text;
      for (const std::string &U : Unknown)
        Text += (Text.empty() ? "" : ", ") + U;
      auto F = std::make_unique<Fault>();
      F->Kind = FaultKind::UnknownInstruction;
      F->Message = "the kernel contains instructions that are not simulated: " + Text;
      F->Kernel = K.Name;
      F->Place = placeOf(*K.Owner, K.Entry);
      return Error(std::move(F));
    }
  }

  Program &Code = K.Owner->program();
  Launch L(Options, Memory, K, Config, Code);
  L.Items[0] = Config.GridItems.X ? Config.GridItems.X : Config.Grid.X * Config.Block.X;
  L.Items[1] = Config.GridItems.Y ? Config.GridItems.Y : Config.Grid.Y * Config.Block.Y;
  L.Items[2] = Config.GridItems.Z ? Config.GridItems.Z : Config.Grid.Z * Config.Block.Z;
  const uint32_t Grid[3] = {Config.Grid.X, Config.Grid.Y, Config.Grid.Z};
  const uint32_t Block[3] = {Config.Block.X, Config.Block.Y, Config.Block.Z};
  for (unsigned A = 0; A != 3; ++A)
    if (divideCeil(L.Items[A], Block[A]) != Grid[A])
      return failure("invalid launch: the grid's workgroups and work-items do not agree");
  L.Groups = uint64_t(Grid[0]) * Grid[1] * Grid[2];
  L.LdsSize = K.LdsSize + Config.DynamicLds;
  // Functions called by address may need more than the kernel's own frame.
  L.ScratchSize = alignTo(K.PrivateSize + (K.DynamicStack ? Config.PrivateLimit : 0), 16);
  L.Checks = Options.Races || Options.Uninitialized;
  L.Trace = !Options.TraceKernel.empty() && K.Name == Options.TraceKernel;
  if (!Code.at(K.Entry))
    return failure("kernel '" + K.Name + "' has no code");

  // Arguments, dispatch packet and queue: memory of this launch that a kernel can only read.
  uint64_t PacketAt = alignTo(std::max<uint64_t>(K.KernargSize, 1), 64);
  Expected<uint8_t *> Internal = Kept->Arguments.take(PacketAt + 64 + 256);
  if (!Internal)
    return Internal.takeError();
  uint8_t *Bytes = *Internal;
  L.Kernarg = reinterpret_cast<uint64_t>(Bytes);
  L.DispatchPacket = L.Kernarg + PacketAt;
  L.Queue = L.DispatchPacket + 64;
  fillArguments(Bytes, L, Config, Arguments);
  fillPacket(Bytes + PacketAt, L, Config);

  bool Counting = Options.Counters || Options.LineCounters;
  unsigned Count = Options.Threads ? Options.Threads : std::thread::hardware_concurrency();
  Count = std::max(1u, unsigned(std::min<uint64_t>(Count, L.Groups)));
  if (L.Trace)
    Count = 1;
  std::vector<std::unique_ptr<Scheduler>> Threads = Kept->take(Count);
  L.Stuck = std::vector<std::atomic<uint64_t>>(Count);
  for (unsigned N = 0; N != Count; ++N)
    Threads[N]->begin(L, N, Counting);
  Memory.beginLaunch();
  Kept->Threads.run(Count, [&](unsigned N) { Threads[N]->run(); });
  Memory.endLaunch();
  Kept->Arguments.giveBack(Bytes);
  LaunchResult R;
  if (Counting && !L.FirstFault) {
    collect(Threads, Code, K, Options.LineCounters, R);
    R.ModelCycles = modelCycles(K, Config, R.Counts);
  }
  for (auto &T : Threads)
    T->end();
  Kept->giveBack(std::move(Threads));
  if (L.FirstFault)
    return Error(std::move(L.FirstFault));
  R.HostSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin).count();
  return R;
}
