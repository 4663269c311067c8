//===- load.cpp - Fuzzes what reads files -----------------------*- C++ -*-===//
//
// Any bytes are taken for a file with device code. What loads is decoded and
// asked for everything a module can say of itself; nothing is executed.
//
//===----------------------------------------------------------------------===//

#include "hk/Sim/Device.h"

using namespace llvm;
using namespace hk::sim;

static void load(ArrayRef<uint8_t> Bytes) {
  DeviceMemory Memory;
  Expected<std::unique_ptr<Module>> M =
      Module::load(Bytes, Memory, [](StringRef Name) { return Name.size() % 2 ? 0 : 4096; });
  if (!M) {
    consumeError(M.takeError());
    return;
  }
  (*M)->mnemonics();
  for (const auto &K : (*M)->kernels()) {
    (*M)->unknownInstructions(*K);
    (*M)->sourceLine(K->Entry);
    (*M)->functionAt(K->Entry);
    (*M)->kernel(K->Name);
  }
  for (const Variable &V : (*M)->variables())
    (*M)->variable(V.Name);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  ArrayRef<uint8_t> Bytes(Data, Size);
  // A code object by itself, so that it need not name its architecture twice.
  if (Size > 4 && Data[0] == 0x7f)
    load(Bytes);
  for (StringRef Processor : {"gfx942", "gfx90a"}) {
    Expected<std::vector<uint8_t>> Image = extractCodeObject(Bytes, Processor);
    if (!Image)
      consumeError(Image.takeError());
    else if (Image->size() != Size)
      load(*Image);
  }
  return 0;
}
