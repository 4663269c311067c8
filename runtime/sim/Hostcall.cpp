//===- Hostcall.cpp - Calls from kernels to the host ----------------------===//

#include "Hostcall.h"

#include "Runtime.h"

#include "llvm/ADT/Twine.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

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

enum Service : uint32_t { FunctionCall = 1, Printf = 2, DeviceMemory = 3 };

constexpr unsigned Packets = 256; // a power of two
/// An entry of a stack: the index below, a tag above, so that no entry is 0.
constexpr uint64_t entryOf(unsigned Index) { return Index ? Index : Packets; }

std::mutex Mutex;
Buffer *TheBuffer = nullptr;
/// Messages that came in several packets, by the id the device was given.
std::unordered_map<uint64_t, std::vector<uint64_t>> Messages;
uint64_t NextMessage = 1;
/// Memory given to the device's malloc: its allocation by the address that was handed out.
std::unordered_map<uint64_t, uint64_t> Slabs;

} // namespace

template <typename T> static T *allocateInternal(size_t Count = 1) {
  Expected<void *> Memory =
      Runtime::get().memory().allocate(sizeof(T) * Count, sim::MemoryKind::Internal);
  if (!Memory) {
    complain(toString(Memory.takeError()));
    return nullptr;
  }
  std::memset(*Memory, 0, sizeof(T) * Count);
  Runtime::get().memory().markWritten(reinterpret_cast<uint64_t>(*Memory), sizeof(T) * Count);
  return static_cast<T *>(*Memory);
}

uint64_t hk::hip::hostcallBuffer() {
  std::lock_guard Lock(Mutex);
  if (TheBuffer)
    return reinterpret_cast<uint64_t>(TheBuffer);
  auto *B = allocateInternal<Buffer>();
  auto *S = allocateInternal<Signal>();
  auto *Mailbox = allocateInternal<uint64_t>();
  auto *Headers = allocateInternal<PacketHeader>(Packets);
  auto *Payloads = allocateInternal<PacketPayload>(Packets);
  if (!B || !S || !Mailbox || !Headers || !Payloads)
    return 0;
  // With a mailbox, ringing the doorbell also sends an interrupt, at which the simulator calls
  // serveHostcalls.
  S->Mailbox = reinterpret_cast<uint64_t>(Mailbox);
  S->EventId = 1;
  B->Headers = Headers;
  B->Payloads = Payloads;
  B->Doorbell = reinterpret_cast<uint64_t>(S);
  B->IndexMask = Packets - 1;
  for (unsigned I = 1; I != Packets; ++I)
    Headers[I].Next = entryOf(I - 1);
  B->FreeStack = entryOf(Packets - 1);
  TheBuffer = B;
  return reinterpret_cast<uint64_t>(B);
}

/// One packet of a message: a descriptor, then up to seven words. The device reads the descriptor
/// back: the message's id, or at the end the result.
static void servePrintf(uint64_t *Slots) {
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
  printMessage(It->second.data(), It->second.size());
  Messages.erase(It);
  Slots[0] = 0;
}

/// The device library carves blocks from slabs, which it finds by their alignment.
static void serveMemory(uint64_t *Slots) {
  sim::DeviceMemory &Memory = Runtime::get().memory();
  constexpr uint64_t SlabAlign = uint64_t(2) << 20;
  if (Slots[0]) {
    auto It = Slabs.find(Slots[0]);
    uint64_t Base = It == Slabs.end() ? Slots[0] : It->second;
    if (It != Slabs.end())
      Slabs.erase(It);
    if (Error E = Memory.free(reinterpret_cast<void *>(Base)))
      complain("a kernel freed memory: " + toString(std::move(E)));
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

uint64_t hk::hip::deviceHeap() {
  // Zeros throughout say that there is no slab yet; the first malloc asks the host for one.
  static uint64_t Heap = reinterpret_cast<uint64_t>(allocateInternal<char>(128 * 1024));
  return Heap;
}

static void serve(const PacketHeader &Header, PacketPayload &Payload) {
  for (unsigned Lane = 0; Lane != 64; ++Lane) {
    if (!(Header.ActiveMask >> Lane & 1))
      continue;
    uint64_t *Slots = Payload.Slots[Lane];
    switch (Header.Service) {
    case FunctionCall: {
      uint64_t Output[2] = {};
      reinterpret_cast<void (*)(uint64_t *, const uint64_t *)>(Slots[0])(Output, Slots + 1);
      Slots[0] = Output[0];
      Slots[1] = Output[1];
      break;
    }
    case Printf:
      servePrintf(Slots);
      break;
    case DeviceMemory:
      serveMemory(Slots);
      break;
    default:
      complain("a kernel asked for host service " + Twine(Header.Service) +
               ", which is not supported");
      Slots[0] = 0;
      break;
    }
  }
}

void hk::hip::serveHostcalls() {
  std::lock_guard Lock(Mutex);
  if (!TheBuffer)
    return;
  uint64_t Entry = TheBuffer->ReadyStack.exchange(0, std::memory_order_acquire);
  // The stack has the latest on top; serve in the order in which they came.
  std::vector<uint64_t> Ready;
  for (; Entry; Entry = TheBuffer->Headers[Entry & TheBuffer->IndexMask].Next)
    Ready.push_back(Entry & TheBuffer->IndexMask);
  for (auto It = Ready.rbegin(); It != Ready.rend(); ++It) {
    PacketHeader &Header = TheBuffer->Headers[*It];
    serve(Header, TheBuffer->Payloads[*It]);
    Header.Control.store(Header.Control & ~1u, std::memory_order_release);
  }
}
