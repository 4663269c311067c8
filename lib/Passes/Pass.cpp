//===- Pass.cpp - The list of passes --------------------------------------===//

#include "hk/Passes/Pass.h"

#include "hk/Passes/Barriers.h"
#include "hk/Passes/Coalesce.h"

std::vector<std::unique_ptr<hk::RewritePass>> hk::makePasses(const PassOptions &Opts) {
  std::vector<std::unique_ptr<RewritePass>> Passes;
  Passes.push_back(makeBarriersPass(Opts));
  Passes.push_back(makeCoalescePass(Opts));
  return Passes;
}
