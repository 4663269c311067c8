//===- Launcher.cpp - What a device keeps between launches ----------------===//

#include "Launcher.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

Expected<uint8_t *> ArgumentMemory::take(uint64_t Bytes) {
  std::lock_guard Lock(Mutex);
  Slot *S = nullptr;
  if (All.size() < Slots) {
    All.emplace_back();
    S = &All.back();
  } else {
    for (size_t N = 0; N != Slots && !S; ++N) {
      Next = (Next + 1) % Slots;
      if (!All[Next].Taken)
        S = &All[Next];
    }
    if (!S) { // launches inside launches, many of them
      All.emplace_back();
      S = &All.back();
    }
  }
  if (S->Room < Bytes) {
    uint64_t Room = std::max<uint64_t>(Bytes, 1024);
    Expected<void *> Made = Memory.allocate(Room, MemoryKind::Internal);
    if (!Made)
      return Made.takeError();
    if (S->Base) {
      Memory.revive(S->Base, S->Room);
      consumeError(Memory.free(S->Base));
    }
    S->Base = static_cast<uint8_t *>(*Made);
    S->Room = Room;
  }
  Memory.revive(S->Base, Bytes);
  S->Taken = true;
  std::memset(S->Base, 0, Bytes);
  return S->Base;
}

void ArgumentMemory::giveBack(uint8_t *Base) {
  std::lock_guard Lock(Mutex);
  Memory.retire(Base);
  for (Slot &S : All)
    if (S.Base == Base)
      S.Taken = false;
}

std::vector<std::unique_ptr<Scheduler>> Device::Launcher::take(unsigned Count) {
  std::vector<std::unique_ptr<Scheduler>> Result;
  std::lock_guard Lock(Mutex);
  while (Result.size() != Count) {
    if (Idle.empty()) {
      Result.push_back(std::make_unique<Scheduler>());
    } else {
      Result.push_back(std::move(Idle.back()));
      Idle.pop_back();
    }
  }
  return Result;
}

void Device::Launcher::giveBack(std::vector<std::unique_ptr<Scheduler>> Used) {
  std::lock_guard Lock(Mutex);
  // The first one, which serves every launch, is on top.
  for (; !Used.empty(); Used.pop_back())
    Idle.push_back(std::move(Used.back()));
}
