//===- Interrupt.cpp ------------------------------------------------------===//
//
// LLVM removes files on signals, but neither folders nor child processes. Only
// what a signal handler may do is done here: paths are kept where they need no
// allocation, and removing is left to rm.
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace hk;

namespace {

struct Entry {
  std::atomic<bool> Used = false;
  char Path[1024];
};
Entry Folders[8];
std::atomic<pid_t> Child = 0;

constexpr int Signals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction Before[std::size(Signals)];

void cleanUp(void *) {
  if (pid_t Group = Child.exchange(0)) {
    ::kill(-Group, SIGKILL);
    while (::waitpid(Group, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  for (Entry &E : Folders) {
    if (!E.Used.exchange(false))
      continue;
    pid_t Remover = ::fork();
    if (Remover == 0) {
      ::execl("/bin/rm", "rm", "-rf", "--", E.Path, nullptr);
      ::_exit(127);
    }
    while (Remover > 0 && ::waitpid(Remover, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
}

void onSignal(int Signal) {
  cleanUp(nullptr);
  // What was there before, LLVM's handler, comes next.
  for (size_t N = 0; N != std::size(Signals); ++N)
    if (Signals[N] == Signal)
      ::sigaction(Signal, &Before[N], nullptr);
  sigset_t Own;
  ::sigemptyset(&Own);
  ::sigaddset(&Own, Signal);
  ::sigprocmask(SIG_UNBLOCK, &Own, nullptr);
  ::raise(Signal);
  // LLVM's handler restores what the process started with, which may be to ignore the signal. But the child is gone.
  ::_exit(128 + Signal);
}

void install() {
  static const bool Once = [] {
    sys::AddSignalHandler(cleanUp, nullptr); // crashes
    for (size_t N = 0; N != std::size(Signals); ++N) {
      ::sigaction(Signals[N], nullptr, &Before[N]);
      if (Before[N].sa_handler == SIG_IGN) // nohup
        continue;
      struct sigaction Action = {};
      Action.sa_handler = onSignal;
      ::sigemptyset(&Action.sa_mask);
      ::sigaction(Signals[N], &Action, nullptr);
    }
    return true;
  }();
  (void)Once;
}

} // namespace

void verification::removeFolderOnSignal(StringRef Folder) {
  if (Folder.size() >= sizeof(Entry::Path))
    return;
  for (Entry &E : Folders)
    if (!E.Used) {
      std::memcpy(E.Path, Folder.data(), Folder.size());
      E.Path[Folder.size()] = 0;
      E.Used = true;
      break;
    }
  install();
}

void verification::keepFolder(StringRef Folder) {
  for (Entry &E : Folders)
    if (E.Used && Folder == E.Path)
      E.Used = false;
}

int verification::runChild(StringRef Program, ArrayRef<StringRef> Arguments,
                           std::optional<ArrayRef<StringRef>> Environment,
                           ArrayRef<std::optional<StringRef>> Redirects, unsigned Seconds,
                           std::string &Error, bool *Failed) {
  bool NotStarted = false;
  // In a session of its own, so that its process group can be ended as a whole.
  sys::ProcessInfo Started = sys::ExecuteNoWait(Program, Arguments, Environment, Redirects, 0,
                                                &Error, &NotStarted, nullptr, true);
  if (Failed)
    *Failed = NotStarted;
  if (NotStarted || Started.Pid == sys::ProcessInfo::InvalidPid)
    return -1;
  Child = Started.Pid;
  sys::ProcessInfo Ended =
      sys::Wait(Started, Seconds ? std::optional<unsigned>(Seconds) : std::nullopt, &Error);
  Child = 0;
  if (Ended.ReturnCode < 0) // crashed or out of time: what it started goes as well
    ::kill(-Started.Pid, SIGKILL);
  return Ended.ReturnCode;
}
