//===- hk-sim-run.cpp - Launches one kernel on the simulator --------------===//
//
//   hk-sim-run FILE [KERNEL] [--grid=X,Y,Z] [--block=X,Y,Z] [--lds=BYTES] ARGUMENT...
//
// FILE is a code object, or an object or executable that holds one. An argument is
//
//   --buf=TYPE:COUNT[:INIT]   memory, and a pointer to it
//   --val=TYPE:VALUE          a scalar
//
// TYPE is u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64; INIT is zero, none, iota, const=VALUE,
// random=SEED, file=PATH, or freed: given back before the launch. Memory is numbered from 0 in
// order: --print=N[:FIRST[:COUNT]] shows it, --dump=N:PATH writes it. Other options choose what is
// checked and printed; see below.
//
// Exit code: 0, 1 for a fault (its text goes to stderr), 2 for anything else that went wrong.
//
//===----------------------------------------------------------------------===//

#include "hk/Sim/Device.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

[[noreturn]] void fail(const Twine &Message, int Code = 2) {
  errs() << "hk-sim-run: " << Message << '\n';
  std::exit(Code);
}

template <class T> T need(Expected<T> X) {
  if (!X)
    fail(toString(X.takeError()));
  return std::move(*X);
}

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point Begin) {
  return std::chrono::duration<double>(Clock::now() - Begin).count();
}

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

struct Type {
  char Kind; // u i f
  unsigned Bytes;
};

Type parseType(StringRef Text) {
  unsigned Bits = 0;
  if (Text.size() < 2 || Text.drop_front().getAsInteger(10, Bits) ||
      !StringRef("uif").contains(Text[0]) || (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64))
    fail("unknown type '" + Text + "'");
  return {Text[0], Bits / 8};
}

void writeValue(uint8_t *To, Type T, StringRef Text) {
  if (T.Kind == 'f' && !Text.starts_with("0x")) {
    double X;
    if (Text.getAsDouble(X))
      fail("bad number '" + Text + "'");
    if (T.Bytes == 8)
      std::memcpy(To, &X, 8);
    else if (T.Bytes == 4) {
      float F = float(X);
      std::memcpy(To, &F, 4);
    } else {
      _Float16 H = _Float16(X);
      std::memcpy(To, &H, 2);
    }
    return;
  }
  long long Signed;
  unsigned long long X;
  if (!Text.getAsInteger(0, Signed))
    X = Signed;
  else if (Text.getAsInteger(0, X))
    fail("bad number '" + Text + "'");
  std::memcpy(To, &X, T.Bytes);
}

struct Buffer {
  Type T;
  uint64_t Count;
  uint8_t *Data;
};

void initialize(Buffer &B, StringRef How, DeviceMemory &Memory) {
  uint64_t Bytes = B.Count * B.T.Bytes;
  if (How == "none")
    return;
  if (How == "freed") {
    if (Error E = Memory.free(B.Data))
      fail(toString(std::move(E)));
    B.Count = 0;
    return;
  }
  if (How.empty() || How == "zero") {
    std::memset(B.Data, 0, Bytes);
  } else if (How == "iota") {
    for (uint64_t N = 0; N != B.Count; ++N)
      writeValue(B.Data + N * B.T.Bytes, B.T, std::to_string(N));
  } else if (How.consume_front("const=")) {
    uint8_t Value[8];
    writeValue(Value, B.T, How);
    for (uint64_t N = 0; N != B.Count; ++N)
      std::memcpy(B.Data + N * B.T.Bytes, Value, B.T.Bytes);
  } else if (How.consume_front("random=")) {
    uint64_t State = 1;
    if (How.getAsInteger(0, State))
      fail("bad seed '" + How + "'");
    for (uint64_t N = 0; N != Bytes; ++N) {
      State = State * 6364136223846793005 + 1442695040888963407;
      B.Data[N] = uint8_t(State >> 56);
    }
  } else if (How.consume_front("file=")) {
    auto File = MemoryBuffer::getFile(How, false, false);
    if (!File)
      fail("cannot read '" + How + "'");
    std::memcpy(B.Data, (*File)->getBufferStart(),
                std::min<uint64_t>(Bytes, (*File)->getBufferSize()));
  } else {
    fail("unknown initialization '" + How + "'");
  }
  Memory.markWritten(reinterpret_cast<uint64_t>(B.Data), Bytes);
}

void print(const Buffer &B, uint64_t First, uint64_t Count) {
  for (uint64_t N = First; N < std::min(B.Count, First + Count); ++N) {
    const uint8_t *P = B.Data + N * B.T.Bytes;
    uint64_t Bits = 0;
    std::memcpy(&Bits, P, B.T.Bytes);
    outs() << N << ": ";
    if (B.T.Kind == 'f') {
      double X;
      if (B.T.Bytes == 8) {
        std::memcpy(&X, P, 8);
      } else if (B.T.Bytes == 4) {
        float F;
        std::memcpy(&F, P, 4);
        X = F;
      } else {
        _Float16 H;
        std::memcpy(&H, P, 2);
        X = double(H);
      }
      outs() << format("%.9g", X);
    } else if (B.T.Kind == 'i') {
      outs() << SignExtend64(Bits, 8 * B.T.Bytes);
    } else {
      outs() << Bits;
    }
    outs() << '\n';
  }
}

Dim3 parseDim(StringRef Text) {
  SmallVector<StringRef, 3> Parts;
  Text.split(Parts, ',');
  uint32_t X[3] = {1, 1, 1};
  for (unsigned N = 0; N != Parts.size() && N != 3; ++N)
    if (Parts[N].getAsInteger(10, X[N]))
      fail("bad size '" + Text + "'");
  return {X[0], X[1], X[2]};
}

json::Object toJson(const Counters &C) {
  json::Object O{{"waves", int64_t(C.Waves)},
                 {"workgroups", int64_t(C.Workgroups)},
                 {"wave_instructions", int64_t(C.WaveInstructions)},
                 {"segments64", int64_t(C.Segments64)},
                 {"segments64_min", int64_t(C.Segments64Min)},
                 {"lines128", int64_t(C.Lines128)},
                 {"lines128_min", int64_t(C.Lines128Min)},
                 {"bytes_loaded", int64_t(C.BytesLoaded)},
                 {"bytes_stored", int64_t(C.BytesStored)},
                 {"bytes_used", int64_t(C.BytesUsed)},
                 {"atomics", int64_t(C.Atomics)},
                 {"lds_bytes", int64_t(C.LdsBytes)},
                 {"lds_cycles", int64_t(C.LdsCycles)},
                 {"lds_conflicts", int64_t(C.LdsConflicts)},
                 {"barriers", int64_t(C.Barriers)},
                 {"mfma", int64_t(C.Mfma)},
                 {"mfma_cycles", int64_t(C.MfmaCycles)},
                 {"lane_slots", int64_t(C.LaneSlots)},
                 {"active_lanes", int64_t(C.ActiveLanes)}};
  for (unsigned N = 0; N != NumInstClasses; ++N)
    O[name(InstClass(N))] = int64_t(C.ByClass[N]);
  return O;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  DeviceOptions Options;
  Options.Threads = 1;
  LaunchConfig Config;
  std::string Input, KernelName, Processor = "gfx942", JsonPath;
  bool Counts = false, Lines = false, Mnemonics = false, ListKernels = false, Time = false;
  bool TimeLoad = false;
  std::vector<std::pair<bool, StringRef>> Arguments; // true: memory
  std::vector<StringRef> Prints, Dumps;
  unsigned Repeat = 1;

  for (int N = 1; N < argc; ++N) {
    StringRef A = argv[N];
    auto Number = [&](auto &Out) {
      if (A.getAsInteger(0, Out))
        fail("bad number '" + A + "'");
    };
    if (A.consume_front("--grid="))
      Config.Grid = parseDim(A);
    else if (A.consume_front("--block="))
      Config.Block = parseDim(A);
    else if (A.consume_front("--items="))
      Config.GridItems = parseDim(A);
    else if (A.consume_front("--lds="))
      Number(Config.DynamicLds);
    else if (A.consume_front("--buf="))
      Arguments.push_back({true, A});
    else if (A.consume_front("--val="))
      Arguments.push_back({false, A});
    else if (A.consume_front("--print="))
      Prints.push_back(A);
    else if (A.consume_front("--dump="))
      Dumps.push_back(A);
    else if (A.consume_front("--threads="))
      Number(Options.Threads);
    else if (A.consume_front("--seed="))
      Number(Options.ScheduleSeed);
    else if (A.consume_front("--hang-limit="))
      Number(Options.HangLimit);
    else if (A.consume_front("--idle-limit="))
      Number(Options.IdleLimit);
    else if (A.consume_front("--repeat="))
      Number(Repeat);
    else if (A.consume_front("--arch="))
      Processor = A.str();
    else if (A.consume_front("--json="))
      JsonPath = A.str();
    else if (A == "--plain")
      usePlainCode();
    else if (A == "--races")
      Options.Races = true;
    else if (A == "--uninitialized")
      Options.Uninitialized = true;
    else if (A == "--waits")
      Options.Waits = true;
    else if (A == "--strict")
      Options.Strict = true;
    else if (A == "--no-counters")
      Options.Counters = false;
    else if (A == "--counters")
      Counts = true;
    else if (A == "--lines")
      Lines = Options.LineCounters = true;
    else if (A == "--time-load")
      TimeLoad = true;
    else if (A == "--time")
      Time = true;
    else if (A == "--mnemonics")
      Mnemonics = true;
    else if (A == "--list")
      ListKernels = true;
    else if (A == "--trace")
      Options.TraceKernel = "*";
    else if (A.starts_with("--"))
      fail("unknown option '" + A + "'");
    else if (Input.empty())
      Input = A.str();
    else if (KernelName.empty())
      KernelName = A.str();
    else
      fail("unexpected argument '" + A + "'");
  }
  if (Input.empty())
    fail("no file given");
  auto File = MemoryBuffer::getFile(Input, false, false);
  if (!File)
    fail("cannot read '" + Input + "'");

  Device D(Options);
  double LoadBegin = processorSeconds();
  std::vector<uint8_t> Image =
      need(extractCodeObject(arrayRefFromStringRef((*File)->getBuffer()), Processor));
  std::unique_ptr<Module> M = need(D.loadModule(Image));
  if (TimeLoad) {
    double Load = processorSeconds() - LoadBegin, DecodeBegin = processorSeconds();
    uint64_t Instructions = 0;
    for (auto &Entry : M->mnemonics())
      Instructions += Entry.second;
    outs() << format("load %.3f ms, decode all %.3f ms, ", 1e3 * Load,
                     1e3 * (processorSeconds() - DecodeBegin))
           << Image.size() << " bytes, " << M->kernels().size() << " kernels, " << Instructions
           << " instructions\n";
    return 0;
  }

  if (Mnemonics) {
    for (auto &[Name, Count] : M->mnemonics())
      outs() << Count << ' ' << Name << '\n';
    return 0;
  }
  if (ListKernels) {
    for (auto &K : M->kernels()) {
      outs() << K->Name << " lds " << K->LdsSize << " scratch " << K->PrivateSize << " vgprs "
             << K->Vgprs << '\n';
      for (const KernelArgument &A : K->Arguments)
        outs() << "  " << A.Offset << ' ' << A.Size << ' ' << A.ValueKind << ' ' << A.Name << '\n';
    }
    return 0;
  }

  const Kernel *K = KernelName.empty() && M->kernels().size() == 1 ? M->kernels()[0].get()
                                                                   : M->kernel(KernelName);
  if (!K)
    fail("no kernel '" + KernelName + "'");
  if (!Options.TraceKernel.empty())
    D.options().TraceKernel = K->Name;

  std::vector<Buffer> Buffers;
  std::vector<uint8_t> Segment;
  for (auto &[IsBuffer, Text] : Arguments) {
    SmallVector<StringRef, 3> Parts;
    Text.split(Parts, ':', 2);
    if (Parts.size() < 2)
      fail("bad argument '" + Text + "'");
    Type T = parseType(Parts[0]);
    unsigned Size = IsBuffer ? 8 : T.Bytes;
    Segment.resize(alignTo(Segment.size(), Size) + Size);
    uint8_t *At = Segment.data() + Segment.size() - Size;
    if (!IsBuffer) {
      writeValue(At, T, Parts[1]);
      continue;
    }
    Buffer B{T, 0, nullptr};
    if (Parts[1].getAsInteger(0, B.Count))
      fail("bad number '" + Parts[1] + "'");
    B.Data = static_cast<uint8_t *>(need(D.memory().allocate(B.Count * T.Bytes)));
    initialize(B, Parts.size() > 2 ? Parts[2] : "", D.memory());
    std::memcpy(At, &B.Data, 8);
    Buffers.push_back(B);
  }
  if (Segment.size() < K->ExplicitSize)
    fail(Twine(Segment.size()) + " bytes of arguments given, the kernel takes " +
         Twine(K->ExplicitSize));

  LaunchResult Result;
  double Cpu = 0;
  Clock::time_point Second; // when the second launch began
  for (unsigned N = 0; N != Repeat; ++N) {
    if (N == 1)
      Second = Clock::now();
    std::clock_t Begin = std::clock();
    Expected<LaunchResult> R = D.launch(*K, Config, Segment);
    if (!R) {
      bool IsFault = false;
      handleAllErrors(
          R.takeError(),
          [&](const Fault &F) {
            IsFault = true;
            F.log(errs());
            errs() << '\n';
          },
          [&](const ErrorInfoBase &E) { errs() << "hk-sim-run: " << E.message() << '\n'; });
      return IsFault ? 1 : 2;
    }
    Result = std::move(*R);
    Cpu = double(std::clock() - Begin) / CLOCKS_PER_SEC;
  }
  double Each = Repeat > 1 ? secondsSince(Second) / (Repeat - 1) : 0;

  for (StringRef P : Prints) {
    SmallVector<StringRef, 3> Parts;
    P.split(Parts, ':');
    uint64_t X[3] = {0, 0, UINT32_MAX};
    for (unsigned N = 0; N != Parts.size() && N != 3; ++N)
      if (Parts[N].getAsInteger(0, X[N]))
        fail("bad number '" + Parts[N] + "'");
    if (X[0] >= Buffers.size())
      fail("there is no memory " + Twine(X[0]));
    print(Buffers[X[0]], X[1], X[2]);
  }
  for (StringRef P : Dumps) {
    auto [Which, Path] = P.split(':');
    unsigned N;
    if (Which.getAsInteger(0, N) || N >= Buffers.size())
      fail("there is no memory " + Which);
    std::error_code EC;
    raw_fd_ostream OS(Path, EC);
    if (EC)
      fail("cannot write '" + Path + "'");
    OS.write(reinterpret_cast<char *>(Buffers[N].Data), Buffers[N].Count * Buffers[N].T.Bytes);
  }
  if (Counts)
    for (auto &[Name, Value] : toJson(Result.Counts))
      outs() << StringRef(Name) << ' ' << Value.getAsInteger().value_or(0) << '\n';
  if (Lines)
    for (const LineCounters &L : Result.Lines)
      outs() << (L.File.empty() ? "?" : StringRef(L.File).rsplit('/').second) << ':' << L.Line
             << ' ' << L.Counts.WaveInstructions << " instructions, " << L.Counts.Lines128
             << " lines of at least " << L.Counts.Lines128Min << '\n';
  if (Time) {
    double Rate = double(Result.Counts.WaveInstructions) / Cpu;
    outs() << format(
        "seconds %.4f, of processor %.4f, million wave instructions a second of it %.1f\n",
        Result.HostSeconds, Cpu, Rate / 1e6);
    if (Repeat > 1)
      outs() << format("microseconds a launch, after the first: %.2f\n", 1e6 * Each);
  }
  if (!JsonPath.empty()) {
    std::error_code EC;
    raw_fd_ostream OS(JsonPath, EC);
    if (EC)
      fail("cannot write '" + JsonPath + "'");
    json::Object O = toJson(Result.Counts);
    O["model_cycles"] = Result.ModelCycles;
    O["name"] = K->Name;
    OS << json::Value(std::move(O)) << '\n';
  }
  return 0;
}
