//===- Threads.h - Host threads that wait for work --------------*- C++ -*-===//
//
// Starting threads takes longer than most launches run, so they stay. A thread
// that has not begun when the caller is done with its own part is not waited
// for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <memory>

namespace hk::sim {

class ThreadPool {
public:
  ThreadPool();
  ~ThreadPool();

  /// Calls \p Do with 0 in this thread, and with 1 up to \p Count - 1 in others. Parts that no
  /// thread has taken up when the first one returns are left out: they have to be of the kind that
  /// shares work, none that has some of its own.
  void run(unsigned Count, const std::function<void(unsigned)> &Do);

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace hk::sim
