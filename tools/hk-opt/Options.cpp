//===- Options.cpp - The command line, on LLVM's CommandLine library ------===//

#include "Options.h"

#include "hk/Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace hk;

namespace {

cl::SubCommand RewriteCommand("rewrite",
                              "Rewrite kernels. A unified diff goes to stdout, remarks go to stderr; no file "
                              "is written unless -o, -i or --out-dir says so");
cl::SubCommand VerifyCommand("verify",
                             "Run a file before and after its rewrite on the simulator, and compare what memory and "
                             "output hold");
cl::SubCommand FactsCommand("facts", "Print what the analyses know of each kernel: accesses, strides, loops, "
                                     "barriers, intervals");

cl::OptionCategory InputOptions("Input");
cl::OptionCategory PassCategory("What to do");
cl::OptionCategory OutputOptions("Output");
cl::OptionCategory VerifyCategory("Verification");

// Input, for all commands.
cl::list<std::string> Files(cl::Positional, cl::desc("FILE... [-- compiler flags]"), cl::sub(RewriteCommand),
                            cl::sub(VerifyCommand), cl::sub(FactsCommand), cl::cat(InputOptions));
cl::opt<std::string> Database("p", cl::desc("Take the compiler flags from DIR/compile_commands.json"),
                              cl::value_desc("DIR"), cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::sub(FactsCommand),
                              cl::cat(InputOptions));
cl::opt<std::string> Target("target", cl::desc("gfx90a, gfx942 (default) or gfx950"), cl::value_desc("GFX"),
                            cl::init("gfx942"), cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::sub(FactsCommand),
                            cl::cat(InputOptions));
cl::opt<std::string> RocmPath("rocm-path",
                              cl::desc("ROCm tree with include/hip; default: $ROCM_PATH, /opt/rocm, or the "
                                       "tree hk-opt was built with"),
                              cl::value_desc("DIR"), cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::sub(FactsCommand),
                              cl::cat(InputOptions));

// What to do.
cl::list<std::string> PassNames("passes", cl::desc("Run these passes only (default: barriers). Passes: barriers; coalesce, which says "
                                                  "how wavefronts reach global memory and lets neighbouring lanes reach neighbours"),
                                cl::value_desc("A,B"), cl::CommaSeparated, cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                                cl::cat(PassCategory));
enum class Assumption { NoAlias, Launches, Configuration, LongLoops };
cl::list<Assumption>
    Assumptions("assume", cl::desc("Take for granted what the code does not show:"), cl::CommaSeparated,
                cl::values(clEnumValN(Assumption::NoAlias, "noalias",
                                      "different pointer parameters of a kernel never overlap"),
                           clEnumValN(Assumption::Launches, "launches",
                                      "the launches in the given files are all there are"),
                           clEnumValN(Assumption::Configuration, "configuration",
                                      "the files are built with the given flags only, so #if lines read one way"),
                           clEnumValN(Assumption::LongLoops, "long-loops",
                                      "loops whose length is in memory, as of rows of a sparse matrix, are long enough for lanes to share")),
                cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::sub(FactsCommand), cl::cat(PassCategory));
enum class FloatingPoint { Exact, Reassoc };
cl::opt<FloatingPoint> Floats("fp", cl::desc("What floating-point results may differ by:"),
                              cl::values(clEnumValN(FloatingPoint::Reassoc, "reassoc",
                                                    "the order of sums and products (default)"),
                                         clEnumValN(FloatingPoint::Exact, "exact", "nothing")),
                              cl::init(FloatingPoint::Reassoc), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                              cl::cat(PassCategory));
cl::opt<unsigned> BlockSize("block-size",
                            cl::desc("Work-items of the workgroups of new versions: 64, 128, 256, 512 or 1024 (default: "
                                     "as many wavefronts as can be resident)"),
                            cl::value_desc("N"), cl::init(0), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                            cl::cat(PassCategory));
cl::opt<bool> InsertBarriers("insert-barriers",
                             cl::desc("Insert the barriers whose absence is reported as a race"),
                             cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::cat(PassCategory));

cl::opt<uint64_t> SolverSteps("solver-steps",
                              cl::desc("Solver steps for the verdicts of a file (default: 10 million); what is "
                                       "not decided within them is kept"),
                              cl::value_desc("N"), cl::init(10000000), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                              cl::cat(PassCategory));

// Output of rewrite.
cl::opt<std::string> Output("o", cl::desc("Write the rewritten main file to FILE ('-': stdout)"),
                            cl::value_desc("FILE"), cl::sub(RewriteCommand), cl::cat(OutputOptions));
cl::opt<bool> InPlace("i", cl::desc("Rewrite the main files in place"), cl::sub(RewriteCommand),
                      cl::cat(OutputOptions));
cl::opt<bool> Headers("headers", cl::desc("With -i: rewrite headers too"), cl::sub(RewriteCommand),
                      cl::cat(OutputOptions));
cl::opt<std::string> OutDir("out-dir",
                            cl::desc("Write rewritten copies, headers included, below DIR, keeping "
                                     "relative paths"),
                            cl::value_desc("DIR"), cl::sub(RewriteCommand), cl::cat(OutputOptions));
cl::opt<bool> Check("check", cl::desc("Write nothing; exit with 3 if something would change"),
                    cl::sub(RewriteCommand), cl::cat(OutputOptions));
cl::opt<bool> Diff("diff", cl::desc("Print the diff even when files are written"), cl::sub(RewriteCommand),
                   cl::cat(OutputOptions));
cl::opt<std::string> ExportFixes("export-fixes", cl::desc("Write the edits for clang-apply-replacements (YAML)"),
                                 cl::value_desc("FILE"), cl::sub(RewriteCommand), cl::cat(OutputOptions));
cl::opt<std::string> Sarif("sarif", cl::desc("Write results and fixes as SARIF 2.1.0"), cl::value_desc("FILE"),
                           cl::sub(RewriteCommand), cl::cat(OutputOptions));
cl::opt<bool> Quiet("quiet", cl::desc("Print warnings, no remarks"), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                    cl::cat(OutputOptions));

// Verification.
cl::opt<bool> Verify("verify", cl::desc("Run both versions first; write nothing if they differ"),
                     cl::sub(RewriteCommand), cl::cat(VerifyCategory));
cl::opt<std::string> Against("against", cl::desc("Compare FILE with OTHER, and rewrite nothing"),
                             cl::value_desc("OTHER"), cl::sub(VerifyCommand), cl::cat(VerifyCategory));
cl::opt<std::string> Device("device", cl::desc("sim (default) or gpu"), cl::value_desc("DEVICE"), cl::init("sim"),
                            cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::cat(VerifyCategory));
cl::list<std::string> Launches("launch",
                               cl::desc("Launch a kernel like this: 'KERNEL: grid=4 block=256 lds=0 n=1000 "
                                        "x=float[1024]'. A comment '// hk-launch: ...' in the file does the same"),
                               cl::value_desc("SPEC"), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                               cl::cat(VerifyCategory));
cl::list<std::string> KernelNames("kernel", cl::desc("Verify these kernels only, on generated inputs"),
                                  cl::value_desc("NAME"), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                                  cl::cat(VerifyCategory));
cl::opt<unsigned> Cases("cases", cl::desc("Generated inputs for each way a kernel is launched (default: 16)"),
                        cl::value_desc("N"), cl::init(16), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                        cl::cat(VerifyCategory));
cl::opt<unsigned> Schedules("schedules", cl::desc("Orders of wavefronts to try (default: 2)"), cl::value_desc("N"),
                            cl::init(2), cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::cat(VerifyCategory));
cl::opt<uint64_t> Seed("seed", cl::desc("Of generated inputs (default: 1)"), cl::value_desc("N"), cl::init(1),
                       cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::cat(VerifyCategory));
cl::opt<std::string> Bound("error-bound",
                           cl::desc("Floating-point values may differ by ABS + REL * |original| (default: what the "
                                    "passes promise, which is bit for bit if they promise nothing)"),
                           cl::value_desc("REL[,ABS]"), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                           cl::cat(VerifyCategory));
cl::opt<unsigned> CaseSeconds("case-seconds",
                              cl::desc("A launch of generated inputs that takes longer is left out (default: 60)"),
                              cl::value_desc("N"), cl::init(60), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                              cl::cat(VerifyCategory));
cl::opt<unsigned> RunSeconds("run-seconds", cl::desc("A program that takes longer is ended (default: 600)"),
                             cl::value_desc("N"), cl::init(600), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                             cl::cat(VerifyCategory));
cl::opt<bool> Races("races",
                    cl::desc("A data race that the original does not have is a difference (default; --races=0: do not "
                             "look for any)"),
                    cl::init(true), cl::sub(RewriteCommand), cl::sub(VerifyCommand), cl::cat(VerifyCategory));
cl::opt<std::string> RunArguments("run-args",
                                  cl::desc("Arguments of a program, separated by blanks. All that follows --args is the "
                                           "same"),
                                  cl::value_desc("ARGS"), cl::sub(RewriteCommand), cl::sub(VerifyCommand),
                                  cl::cat(VerifyCategory));

constexpr const char *Overview =
    "hk-opt: rewrites HIP kernels for AMD Instinct GPUs, source to source\n\n"
    "  hk-opt rewrite kernel.hip                       show what would change, and why\n"
    "  hk-opt rewrite -i kernel.hip -- -Iinclude       change it\n"
    "  hk-opt rewrite -p build --out-dir out a.hip     flags from compile_commands.json, copies below out\n"
    "  hk-opt verify kernel.hip                        run it before and after on the simulator, compare\n"
    "  hk-opt COMMAND --help                           the options of a command\n\n"
    "Flags after -- are the compiler's. Files are HIP by name (.hip, .cu) or by -x hip.\n"
    "Exit status: 0 done; 1 the input does not compile, or an internal error (nothing is written);\n"
    "2 usage; 3 with --check, something would change; 4 verification found a difference.\n";

const char *commandName() { return FactsCommand ? "facts" : VerifyCommand ? "verify" : "rewrite"; }

int usageError(const Twine &Message) {
  WithColor::error(errs(), "hk-opt") << Message << "\n";
  errs() << "see 'hk-opt " << commandName() << " --help'\n";
  return ExitUsage;
}

/// What LLVM's option parser prints, in the form of all other messages: it names the program on each line, points to a
/// help that lists no options, and guesses at options that have nothing to do with what was typed.
int usageErrors(StringRef Printed) {
  for (StringRef Line : split(Printed, "\n")) {
    Line.consume_front("hk-opt: ");
    Line = Line.take_front(Line.find("Try: '")).rtrim(" .!");
    if (!Line.empty() && !Line.starts_with("Did you mean"))
      WithColor::error(errs(), "hk-opt") << toLower(Line[0]) << Line.drop_front() << "\n";
  }
  errs() << "see 'hk-opt " << commandName() << " --help'\n";
  return ExitUsage;
}

void printVersion(raw_ostream &OS) {
  OS << "hk-opt " << HK_VERSION << " (LLVM " << LLVM_VERSION_STRING << ")\n"
     << "targets: gfx90a, gfx942, gfx950\n";
}

} // namespace

std::optional<int> hk::parseCommandLine(int Argc, const char *const *Argv, ToolOptions &Out) {
  // The compiler's flags are not ours to parse.
  std::vector<const char *> Ours(Argv, Argv + Argc);
  if (auto Args = find_if(Ours, [](const char *A) { return StringRef(A) == "--args"; }); Args != Ours.end()) {
    Out.Verification.RunArguments.assign(Args + 1, Ours.end());
    Ours.erase(Args, Ours.end());
  }
  auto Dashes = find_if(Ours, [](const char *A) { return StringRef(A) == "--"; });
  bool HaveFlags = Dashes != Ours.end();
  if (HaveFlags)
    Out.CompilerFlags.assign(Dashes + 1, Ours.end());
  Ours.erase(Dashes, Ours.end());

  // LLVM's libraries register options of their own, which are none of the user's business.
  const cl::OptionCategory *Categories[] = {&InputOptions, &PassCategory, &OutputOptions, &VerifyCategory};
  cl::HideUnrelatedOptions(Categories, RewriteCommand);
  cl::HideUnrelatedOptions(Categories, VerifyCommand);
  cl::HideUnrelatedOptions(Categories, FactsCommand);
  cl::HideUnrelatedOptions(Categories);
  cl::SetVersionPrinter(printVersion);
  std::string Printed;
  raw_string_ostream Errors(Printed);
  if (!cl::ParseCommandLineOptions(Ours.size(), Ours.data(), Overview, &Errors))
    return usageErrors(Printed);
  if (RewriteCommand)
    Out.Run = Command::Rewrite;
  else if (VerifyCommand)
    Out.Run = Command::Verify;
  else if (FactsCommand)
    Out.Run = Command::Facts;
  else
    return usageError("no command given; commands are rewrite, verify and facts");

  Out.Files.assign(Files.begin(), Files.end());
  Out.Database = Database;
  Out.Frontend.Target = Target;
  Out.Frontend.RocmPath = RocmPath;
  Out.PassNames.assign(PassNames.begin(), PassNames.end());
  Out.Passes.BlockSize = BlockSize;
  Out.Passes.Target = Target;
  Out.Passes.ExactFloats = Floats == FloatingPoint::Exact;
  Out.Passes.AssumeNoAlias = is_contained(Assumptions, Assumption::NoAlias);
  Out.Passes.AssumeLaunches = is_contained(Assumptions, Assumption::Launches);
  Out.Passes.AssumeConfiguration = is_contained(Assumptions, Assumption::Configuration);
  Out.Passes.AssumeLongLoops = is_contained(Assumptions, Assumption::LongLoops);
  Out.Passes.InsertBarriers = Out.Passes.AllRaces = InsertBarriers;
  Out.Passes.SolverSteps = SolverSteps;
  Out.Output = Output;
  Out.OutDir = OutDir;
  Out.InPlace = InPlace;
  Out.Headers = Headers;
  Out.Check = Check;
  Out.Diff = Diff;
  Out.Quiet = Quiet;
  Out.ExportFixes = ExportFixes;
  Out.Sarif = Sarif;
  Out.Verify = Verify;
  Out.Against = Against;
  VerifyOptions &V = Out.Verification;
  V.Cases = Cases;
  V.Schedules = Schedules;
  V.Seed = Seed;
  V.Races = Races;
  V.AssumeNoAlias = Out.Passes.AssumeNoAlias;
  V.AssumeLaunches = Out.Passes.AssumeLaunches;
  V.Gpu = Device == "gpu";
  V.CaseSeconds = CaseSeconds;
  V.ProgramSeconds = RunSeconds;
  V.Launches.assign(Launches.begin(), Launches.end());
  V.Kernels.assign(KernelNames.begin(), KernelNames.end());
  SmallVector<StringRef> Words;
  SplitString(RunArguments, Words);
  V.RunArguments.insert(V.RunArguments.begin(), Words.begin(), Words.end());

  if (Out.Files.empty())
    return usageError("no input files");
  if (!is_contained({"gfx90a", "gfx942", "gfx950"}, StringRef(Out.Frontend.Target)))
    return usageError("unknown target '" + Out.Frontend.Target + "'; targets are: gfx90a, gfx942, gfx950");
  if (BlockSize.getNumOccurrences() && !is_contained({64u, 128u, 256u, 512u, 1024u}, unsigned(BlockSize)))
    return usageError("--block-size is 64, 128, 256, 512 or 1024");
  auto Known = makePasses({});
  for (const std::string &Name : Out.PassNames)
    if (none_of(Known, [&](auto &P) { return P->name() == Name; })) {
      std::string List;
      for (auto &P : Known)
        List += (List.empty() ? "" : ", ") + P->name().str();
      return usageError("unknown pass '" + Name + "'; passes are: " + List);
    }
  if (Device != "sim" && Device != "gpu")
    return usageError("unknown device '" + Device + "'; devices are sim and gpu");
  if (Out.Run == Command::Rewrite && !Out.Verify)
    for (auto &[Name, Given] : std::initializer_list<std::pair<StringRef, int>>{
             {"launch", Launches.getNumOccurrences()},
             {"kernel", KernelNames.getNumOccurrences()},
             {"device", Device.getNumOccurrences()},
             {"cases", Cases.getNumOccurrences()},
             {"schedules", Schedules.getNumOccurrences()},
             {"error-bound", Bound.getNumOccurrences()},
             {"run-args", RunArguments.getNumOccurrences()}})
      if (Given)
        return usageError("--" + Name + " goes with --verify");
  if (!V.Cases || !V.Schedules || !V.CaseSeconds || !V.ProgramSeconds)
    return usageError("--cases, --schedules, --case-seconds and --run-seconds are at least 1");
  if (!Bound.empty()) {
    auto [Relative, Absolute] = StringRef(Bound).split(',');
    V.Bound.emplace();
    if (Relative.getAsDouble(V.Bound->Relative) || (!Absolute.empty() && Absolute.getAsDouble(V.Bound->Absolute)) ||
        !(V.Bound->Relative >= 0 && V.Bound->Absolute >= 0))
      return usageError("--error-bound takes one or two numbers that are not negative: REL or REL,ABS");
  }
  if (!Out.Against.empty() && Out.Files.size() > 1)
    return usageError("--against takes one input file");
  for (const std::string &Text : V.Launches)
    if (Expected<LaunchSpec> S = parseLaunchSpec(Text, "--launch"); !S)
      return usageError(toString(S.takeError()));
  if (HaveFlags && !Out.Database.empty())
    return usageError("flags after '--' and '-p' exclude each other");
  if (int(Out.InPlace) + int(!Out.Output.empty()) + int(!Out.OutDir.empty()) > 1)
    return usageError("-o, -i and --out-dir exclude each other");
  if (Out.Check && (Out.InPlace || !Out.Output.empty() || !Out.OutDir.empty()))
    return usageError("--check writes nothing: it excludes -o, -i and --out-dir");
  if (!Out.Output.empty() && Out.Files.size() > 1)
    return usageError("-o takes one input file; use --out-dir for several");
  if (Out.Headers && !Out.InPlace)
    return usageError("--headers goes with -i; --out-dir writes headers anyway");
  Out.Passes.EditHeaders = Out.Headers || !Out.OutDir.empty();
  return std::nullopt;
}
