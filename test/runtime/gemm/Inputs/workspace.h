//===- workspace.h - Workspaces of exactly the size that a plan takes -----===//
#pragma once

#include "plans.h"

namespace test {

/// What \p plan takes of workspace for factors of T.
template <class T> size_t workspaceBytes(const hk::GemmShape &shape, const NamedPlan &plan) {
  return hk::detail::splitBytes(currentTarget(), problemOf<T>(shape), plan.shape, plan.plan.splits);
}

/// Ready for use. The memory ends where the last part of a sum does, and those parts were never written.
class ExactWorkspace {
public:
  explicit ExactWorkspace(size_t bytes) {
    if (!bytes)
      return;
    workspace.bytes = bytes;
    check(hipMalloc(&workspace.data, bytes), "hipMalloc");
    check(hk::prepareGemmWorkspace(workspace, nullptr), "prepareGemmWorkspace");
  }
  ~ExactWorkspace() { check(hipFree(workspace.data), "hipFree"); }
  ExactWorkspace(const ExactWorkspace &) = delete;
  ExactWorkspace &operator=(const ExactWorkspace &) = delete;

  const hk::GemmWorkspace &get() const { return workspace; }

  /// Every launch has to leave the counters as it found them.
  bool isReady() const {
    if (!workspace.data)
      return true;
    std::vector<uint32_t> counters(hk::detail::GemmCounters);
    check(hipMemcpy(counters.data(), workspace.data, counters.size() * sizeof(uint32_t), hipMemcpyDeviceToHost), "hipMemcpy");
    for (const uint32_t counter : counters)
      if (counter)
        return false;
    return true;
  }

private:
  hk::GemmWorkspace workspace;
};

} // namespace test
