//===- Statistics.cpp - What was counted, as a table and as JSON ----------===//

#include "Runtime.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

void Runtime::count(const sim::Kernel &K, const sim::LaunchResult &Result) {
  KernelStatistics &S = Statistics[K.Name];
  ++S.Launches;
  S.Counts += Result.Counts;
  S.ModelCycles += Result.ModelCycles;
  S.HostSeconds += Result.HostSeconds;
  for (const sim::LineCounters &L : Result.Lines)
    S.Lines[{L.File, L.Line}] += L.Counts;
  S.Vgprs = K.Vgprs;
  S.Agprs = K.Agprs;
  S.Sgprs = K.Sgprs;
  S.Spills = K.VgprSpills + K.SgprSpills;
  S.LdsSize = K.LdsSize;
  S.PrivateSize = K.PrivateSize;
}

static double ratio(uint64_t A, uint64_t B) { return B ? double(A) / double(B) : 0; }

static void writeCounts(json::OStream &J, const sim::Counters &C) {
  J.attribute("wave_instructions", C.WaveInstructions);
  for (unsigned I = 0; I != sim::NumInstClasses; ++I)
    J.attribute(("inst_" + sim::name(sim::InstClass(I))).str(), C.ByClass[I]);
  J.attribute("active_lanes", ratio(C.ActiveLanes, C.LaneSlots));
  J.attribute("segments64", C.Segments64);
  J.attribute("segments64_min", C.Segments64Min);
  J.attribute("lines128", C.Lines128);
  J.attribute("lines128_min", C.Lines128Min);
  J.attribute("bytes_loaded", C.BytesLoaded);
  J.attribute("bytes_stored", C.BytesStored);
  J.attribute("bytes_used", C.BytesUsed);
  J.attribute("atomics", C.Atomics);
  J.attribute("lds_bytes", C.LdsBytes);
  J.attribute("lds_cycles", C.LdsCycles);
  J.attribute("lds_conflicts", C.LdsConflicts);
  J.attribute("barriers", C.Barriers);
  J.attribute("mfma", C.Mfma);
  J.attribute("mfma_cycles", C.MfmaCycles);
}

static void writeJson(raw_ostream &OS, const std::map<std::string, KernelStatistics> &Statistics,
                      uint64_t Faults) {
  json::OStream J(OS, 1);
  J.object([&] {
    J.attribute("faults", Faults);
    J.attributeArray("kernels", [&] {
      for (auto &[Name, S] : Statistics)
        J.object([&] {
          J.attribute("name", demangle(Name));
          J.attribute("symbol", Name);
          J.attribute("launches", S.Launches);
          J.attribute("workgroups", S.Counts.Workgroups);
          J.attribute("waves", S.Counts.Waves);
          writeCounts(J, S.Counts);
          J.attribute("model_cycles", S.ModelCycles);
          J.attribute("host_seconds", S.HostSeconds);
          J.attribute("vgprs", S.Vgprs);
          J.attribute("agprs", S.Agprs);
          J.attribute("sgprs", S.Sgprs);
          J.attribute("spills", S.Spills);
          J.attribute("lds_size", S.LdsSize);
          J.attribute("private_size", S.PrivateSize);
          if (S.Lines.empty())
            return;
          J.attributeArray("lines", [&] {
            for (auto &[Place, Counts] : S.Lines)
              J.object([&, &Place = Place, &Counts = Counts] {
                J.attribute("file", Place.first);
                J.attribute("line", Place.second);
                writeCounts(J, Counts);
              });
          });
        });
    });
  });
  OS << '\n';
}

static void writeTable(raw_ostream &OS, const std::map<std::string, KernelStatistics> &Statistics) {
  OS << "     launches  instructions   lanes  coalesced  lds-conflicts   barriers       mfma"
        "  model-cycles  kernel\n";
  for (auto &[Name, S] : Statistics) {
    const sim::Counters &C = S.Counts;
    OS << format("%13llu %13llu %6.1f%% ", static_cast<unsigned long long>(S.Launches),
                 static_cast<unsigned long long>(C.WaveInstructions),
                 100 * ratio(C.ActiveLanes, C.LaneSlots));
    if (C.Lines128)
      OS << format("%9.1f%% ", 100 * ratio(C.Lines128Min, C.Lines128));
    else
      OS << "         - ";
    OS << format("%14llu %10llu %10llu %13.4g  ", static_cast<unsigned long long>(C.LdsConflicts),
                 static_cast<unsigned long long>(C.Barriers),
                 static_cast<unsigned long long>(C.Mfma), S.ModelCycles)
       << demangle(Name) << '\n';
  }
  OS << "coalesced: fewest possible of the 128-byte lines touched; model-cycles rank versions and "
        "are "
        "no time of any chip\n";
}

/// A file of the given name, or a complaint.
template <typename Fn> static void writeFile(StringRef Name, Fn Write) {
  std::error_code EC;
  raw_fd_ostream OS(Name, EC, sys::fs::OF_Text);
  if (EC) {
    complain("cannot write " + Name + ": " + EC.message());
    return;
  }
  Write(OS);
}

void Runtime::writeStatistics() {
  ApiLock Lock;
  std::fflush(stdout);
  if (Opts.Table)
    writeTable(errs(), Statistics);
  if (!Opts.JsonFile.empty())
    writeFile(Opts.JsonFile, [&](raw_ostream &OS) { writeJson(OS, Statistics, Faults); });
  writeResult();
}

void Runtime::setFault(hipError_t E) {
  if (Sticky == hipSuccess)
    Sticky = E;
  ++Faults;
  // The program may end without its exit handlers.
  writeResult();
}

/// How hk-sim learns of faults that the program does not report.
void Runtime::writeResult() const {
  const char *Result = std::getenv("HK_SIM_RESULT");
  if (!Result)
    return;
  // The file is there already; if it is gone, hk-sim was ended and nobody would remove a new one.
  int File;
  if (sys::fs::openFileForWrite(Result, File, sys::fs::CD_OpenExisting))
    return;
  (void)sys::fs::resize_file(File, 0);
  raw_fd_ostream OS(File, true);
  OS << Faults << '\n';
}
