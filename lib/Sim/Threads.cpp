//===- Threads.cpp - Host threads that wait for work ----------------------===//

#include "Threads.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace hk::sim;

namespace {
/// One call of run().
struct Job {
  const std::function<void(unsigned)> *Do;
  unsigned Next, Count;
  unsigned Running = 0;
  std::condition_variable Done;
};
} // namespace

struct ThreadPool::State {
  std::mutex Mutex;
  std::condition_variable Work;
  std::list<Job *> Jobs; ///< with parts that nobody has taken
  std::vector<std::thread> Threads;
  bool Ending = false;
  pid_t Process = ::getpid();

  void serve() {
    std::unique_lock Lock(Mutex);
    while (true) {
      Work.wait(Lock, [&] { return Ending || !Jobs.empty(); });
      if (Ending)
        return;
      Job &J = *Jobs.front();
      unsigned Part = J.Next++;
      if (J.Next == J.Count)
        Jobs.pop_front();
      ++J.Running;
      Lock.unlock();
      (*J.Do)(Part);
      Lock.lock();
      if (--J.Running == 0)
        J.Done.notify_all();
    }
  }
};

ThreadPool::ThreadPool() = default;

ThreadPool::~ThreadPool() {
  if (!S)
    return;
  if (S->Process != ::getpid()) { // forked: the threads are the parent's
    (void)S.release();
    return;
  }
  {
    std::lock_guard Lock(S->Mutex);
    S->Ending = true;
  }
  S->Work.notify_all();
  for (std::thread &T : S->Threads)
    T.join();
}

void ThreadPool::run(unsigned Count, const std::function<void(unsigned)> &Do) {
  if (Count <= 1) {
    Do(0);
    return;
  }
  if (S && S->Process != ::getpid())
    (void)S.release();
  if (!S)
    S = std::make_unique<State>();
  Job J{&Do, 1, Count, 0, {}};
  {
    std::lock_guard Lock(S->Mutex);
    while (S->Threads.size() < Count - 1)
      S->Threads.emplace_back([State = S.get()] { State->serve(); });
    S->Jobs.push_back(&J);
  }
  S->Work.notify_all();
  Do(0);
  std::unique_lock Lock(S->Mutex);
  S->Jobs.remove(&J);
  J.Done.wait(Lock, [&] { return !J.Running; });
}
