//===- HostServices.cpp ---------------------------------------------------===//

#include "hk/Sim/HostServices.h"

#include "llvm/ADT/Twine.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {
// The layouts are those of the device library.
struct PacketHeader {
  uint64_t Next;
  uint64_t ActiveMask;
  uint32_t Service;
  std::atomic<uint32_t> Control; // bit 0: ready
};
struct PacketPayload {
  uint64_t Slots[64][8];
};
struct Signal {
  int64_t Kind;
  int64_t Value;
  uint64_t Mailbox;
  uint32_t EventId;
  uint32_t Padding[9];
};
struct Buffer {
  PacketHeader *Headers;
  PacketPayload *Payloads;
  uint64_t Doorbell; // a signal's address
  std::atomic<uint64_t> FreeStack;
  std::atomic<uint64_t> ReadyStack;
  uint64_t IndexMask;
};

enum Service : uint32_t { CallFunction = 1, CallPrintf = 2, CallMemory = 3 };

constexpr unsigned Packets = 256; // a power of two
/// An entry of a stack: the index below, a tag above, so that no entry is 0.
constexpr uint64_t entryOf(unsigned Index) { return Index ? Index : Packets; }

/// What grid barriers work on: barriers across grids and inside this one.
struct GridSync {
  struct Counters {
    uint32_t Arrived, Generation;
  };
  Counters *Grids;
  uint32_t Grid, GridCount;
  uint64_t ItemsBefore, AllItems;
  Counters Workgroups;
  uint32_t WorkgroupCount;
};

} // namespace

struct HostServices::State {
  DeviceMemory &Memory;
  Options Opts;
  std::mutex Mutex;
  std::vector<void *> Own; ///< allocations to free at the end
  Buffer *Calls = nullptr;
  void *Heap = nullptr;
  GridSync *Sync = nullptr;
  /// Messages that came in several packets, by the id the device was given.
  std::unordered_map<uint64_t, std::vector<uint64_t>> Messages;
  uint64_t NextMessage = 1;
  /// Memory given to the device's malloc: its allocation by the address that was handed out.
  std::unordered_map<uint64_t, uint64_t> Slabs;

  State(DeviceMemory &Memory, Options Opts) : Memory(Memory), Opts(std::move(Opts)) {}

  template <typename T> T *allocate(size_t Count = 1) {
    Expected<void *> M = Memory.allocate(sizeof(T) * Count, MemoryKind::Internal);
    if (!M) {
      Opts.Complain(toString(M.takeError()));
      return nullptr;
    }
    std::memset(*M, 0, sizeof(T) * Count);
    Memory.markWritten(reinterpret_cast<uint64_t>(*M), sizeof(T) * Count);
    Own.push_back(*M);
    return static_cast<T *>(*M);
  }
  uint64_t callBuffer();
  uint64_t gridSync(const LaunchConfig &Config);
  void print(uint64_t *Slots);
  void allocateOrFree(uint64_t *Slots);
  void serve(const PacketHeader &Header, PacketPayload &Payload);
};

uint64_t HostServices::State::callBuffer() {
  if (Calls)
    return reinterpret_cast<uint64_t>(Calls);
  auto *B = allocate<Buffer>();
  auto *S = allocate<Signal>();
  auto *Mailbox = allocate<uint64_t>();
  auto *Headers = allocate<PacketHeader>(Packets);
  auto *Payloads = allocate<PacketPayload>(Packets);
  if (!B || !S || !Mailbox || !Headers || !Payloads)
    return 0;
  // With a mailbox, ringing the doorbell also sends an interrupt, at which the simulator calls
  // serve.
  S->Mailbox = reinterpret_cast<uint64_t>(Mailbox);
  S->EventId = 1;
  B->Headers = Headers;
  B->Payloads = Payloads;
  B->Doorbell = reinterpret_cast<uint64_t>(S);
  B->IndexMask = Packets - 1;
  for (unsigned I = 1; I != Packets; ++I)
    Headers[I].Next = entryOf(I - 1);
  B->FreeStack = entryOf(Packets - 1);
  Calls = B;
  return reinterpret_cast<uint64_t>(B);
}

/// One packet of a message: a descriptor, then up to seven words. The device reads the descriptor
/// back: the message's id, or at the end the result.
void HostServices::State::print(uint64_t *Slots) {
  uint64_t Descriptor = Slots[0];
  bool Begin = Descriptor & 1, End = Descriptor & 2;
  unsigned Length = Descriptor >> 5 & 7;
  uint64_t Id = Descriptor >> 8;
  if (Begin) {
    Id = NextMessage++;
    Messages[Id];
    Descriptor = (Descriptor & 0xff) | Id << 8;
  }
  auto It = Messages.find(Id);
  if (It == Messages.end()) {
    Slots[0] = uint64_t(-1);
    return;
  }
  It->second.insert(It->second.end(), Slots + 1, Slots + 1 + Length);
  if (!End) {
    Slots[0] = Descriptor & ~uint64_t(1);
    return;
  }
  bool ToStderr;
  std::string Text = printfText(It->second.data(), It->second.size(), ToStderr);
  Opts.Print(Text, ToStderr);
  Messages.erase(It);
  Slots[0] = 0;
}

/// The device library carves blocks from slabs, which it finds by their alignment.
void HostServices::State::allocateOrFree(uint64_t *Slots) {
  constexpr uint64_t SlabAlign = uint64_t(2) << 20;
  if (Slots[0]) {
    auto It = Slabs.find(Slots[0]);
    uint64_t Base = It == Slabs.end() ? Slots[0] : It->second;
    if (It != Slabs.end())
      Slabs.erase(It);
    if (Error E = Memory.free(reinterpret_cast<void *>(Base)))
      Opts.Complain("a kernel freed memory: " + toString(std::move(E)));
    Slots[0] = 0;
    return;
  }
  Expected<void *> Result = Memory.allocate(Slots[1] + SlabAlign);
  if (!Result) {
    consumeError(Result.takeError());
    Slots[0] = 0;
    return;
  }
  uint64_t Base = reinterpret_cast<uint64_t>(*Result);
  Slots[0] = (Base + SlabAlign - 1) / SlabAlign * SlabAlign;
  Slabs[Slots[0]] = Base;
}

uint64_t HostServices::State::gridSync(const LaunchConfig &Config) {
  if (!Sync)
    Sync = allocate<GridSync>();
  if (!Sync)
    return 0;
  *Sync = {};
  Sync->GridCount = 1;
  Sync->WorkgroupCount = Config.Grid.X * Config.Grid.Y * Config.Grid.Z;
  Sync->AllItems = uint64_t(Sync->WorkgroupCount) * (Config.Block.X * Config.Block.Y * Config.Block.Z);
  return reinterpret_cast<uint64_t>(Sync);
}

void HostServices::State::serve(const PacketHeader &Header, PacketPayload &Payload) {
  for (unsigned Lane = 0; Lane != 64; ++Lane) {
    if (!(Header.ActiveMask >> Lane & 1))
      continue;
    uint64_t *Slots = Payload.Slots[Lane];
    switch (Header.Service) {
    case CallFunction: {
      if (!Opts.Functions) {
        Opts.Complain("a kernel calls a host function, which is not possible here");
        Slots[0] = Slots[1] = 0;
        break;
      }
      uint64_t Output[2] = {};
      reinterpret_cast<void (*)(uint64_t *, const uint64_t *)>(Slots[0])(Output, Slots + 1);
      Slots[0] = Output[0];
      Slots[1] = Output[1];
      break;
    }
    case CallPrintf:
      print(Slots);
      break;
    case CallMemory:
      allocateOrFree(Slots);
      break;
    default:
      Opts.Complain("a kernel asked for host service " + Twine(Header.Service) +
               ", which is not supported");
      Slots[0] = 0;
      break;
    }
  }
}

HostServices::HostServices(DeviceMemory &Memory, Options Opts)
    : S(std::make_unique<State>(Memory, std::move(Opts))) {}

HostServices::~HostServices() {
  for (auto &[Address, Base] : S->Slabs)
    consumeError(S->Memory.free(reinterpret_cast<void *>(Base)));
  for (void *M : S->Own)
    consumeError(S->Memory.free(M));
}

void HostServices::prepare(const Kernel &K, LaunchConfig &Config) {
  std::lock_guard Lock(S->Mutex);
  for (const KernelArgument &A : K.Arguments)
    if (A.ValueKind == "hidden_hostcall_buffer") {
      Config.HostcallBuffer = S->callBuffer();
      Config.Service = [this] { serve(); };
    } else if (A.ValueKind == "hidden_heap_v1") {
      // Zeros throughout say that there is no slab yet; the first malloc asks the host for one.
      if (!S->Heap)
        S->Heap = S->allocate<char>(128 * 1024);
      Config.Heap = reinterpret_cast<uint64_t>(S->Heap);
    } else if (A.ValueKind == "hidden_multigrid_sync_arg" && Config.Cooperative) {
      Config.MultigridSync = S->gridSync(Config);
    }
}

void HostServices::serve() {
  std::lock_guard Lock(S->Mutex);
  if (!S->Calls)
    return;
  uint64_t Entry = S->Calls->ReadyStack.exchange(0, std::memory_order_acquire);
  // The stack has the latest on top; serve in the order in which they came.
  std::vector<uint64_t> Ready;
  for (; Entry; Entry = S->Calls->Headers[Entry & S->Calls->IndexMask].Next)
    Ready.push_back(Entry & S->Calls->IndexMask);
  for (auto It = Ready.rbegin(); It != Ready.rend(); ++It) {
    PacketHeader &Header = S->Calls->Headers[*It];
    S->serve(Header, S->Calls->Payloads[*It]);
    Header.Control.store(Header.Control & ~1u, std::memory_order_release);
  }
}
