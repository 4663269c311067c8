// Plans of the caller's: every mode with every number of chunks, whole and cut rows, fewer workgroups than rows; and plans
// that are none are refused.
// RUN: %hip-sim-build -std=c++17 -I%runtime-include -I%hk-src/runtime/kernels/include %s -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all {{[0-9]+}} passed
#include "Inputs/direct.h"
#include "Inputs/norms.h"
#include "hk/ops/norm.h"

using namespace test;
using hk::RowMode;
using hk::RowPlan;

namespace {

const RowPlan *forced;
/// Whether the plan asks for a kernel that does not exist.
bool refused;
int plans, refusals;

int told(hipError_t error) {
  ++plans;
  refusals += refused;
  if (refused && error == hipErrorInvalidValue)
    return -1;
  return refused && error == hipSuccess ? -2 : error;
}

} // namespace

// Two reductions, one of values in 16 bits and one of results.
int hk_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, hk_vector weight, float epsilon,
                const hk_output *y) {
  return told(hk::rmsNorm(launchOf(launch), {rows, columns}, as<const hk::bf16>(x), as<hk::bf16>(weight), epsilon,
                          asRows<hk::e4m3fnuz>(*y), {}, forced));
}
// In place, with a second output, and a scale for each 32 lanes.
int hk_residual_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, hk_matrix residual,
                         hk_vector weight, float epsilon, const hk_output *y) {
  return told(hk::residualRmsNorm(launchOf(launch), {rows, columns}, as<const float>(x), as<float>(residual),
                                  as<float>(weight), epsilon, asGroups<int8_t, 128>(*y), {}, forced));
}
int hk_layer_norm(const hk_launch *, int64_t, int64_t, hk_matrix, hk_vector, hk_vector, float, const hk_output *) {
  return hipErrorNotSupported;
}

namespace {

/// \p vectors: of a row, less \p cut columns.
void tryPlan(RowPlan plan, int64_t rows, int64_t vectors, int cut, int turn) {
  const int64_t groups = (rows + plan.rowsInWorkgroup - 1) / plan.rowsInWorkgroup;
  const bool loops = plan.workgroups < groups;
  for (const bool residual : {false, true}) {
    const int length = residual ? 4 : 8;
    const bool unaligned = cut % 2;
    Shape shape{rows, vectors * length - cut, {cut && !unaligned ? cut : 0, unaligned}, {length, unaligned ? 3 : 0}, true};
    const bool general = cut != 0;
    forced = &plan;
    const bool missing = plan.mode != RowMode::Long && !hk::hasChunks(plan.mode, general ? 2 : plan.chunks, general, loops, true);
    const bool tooFew = general && plan.chunks > 2 && plan.mode != RowMode::Long;
    const bool tooMany = plan.mode != RowMode::Long && plan.threads * (plan.mode == RowMode::Packed ? plan.rowsInWorkgroup : 1) >
                             hk::mostThreads(plan.mode, plan.chunks, plan.rowsInWorkgroup, true);
    // Lanes that share a scale have to be of one row; parts are not for cut rows.
    const bool apart = residual && plan.mode == RowMode::Packed && plan.threads < 32;
    const int64_t share = hk::partVectors(vectors, plan.parts, residual ? 32 : 16);
    const bool noParts = plan.parts > 1 && (general || share * (plan.parts - 1) >= vectors);
    refused = missing || tooFew || tooMany || apart || noParts;
    if (refused) {
      // Nothing may run: the pointers are null.
      const hk_launch launch = launchOf(true, false);
      const hk_output none = {{nullptr, HK_I8, shape.columns}, HK_SCALE_GROUPS, 128, nullptr, 1000};
      const hk_matrix in = {reinterpret_cast<void *>(intptr_t(unaligned ? residual ? 4 : 2 : 0)), 0, shape.columns};
      const int error = residual ? hk_residual_rms_norm(&launch, rows, shape.columns, in, in, {nullptr, 0}, 1, &none)
                                 : hk_rms_norm(&launch, rows, shape.columns, in, {nullptr, 0}, 1, &none);
      if (error != -1) {
        ++failures;
        std::printf("mode %d chunks %d threads %d: %d and not refused\n", int(plan.mode), plan.chunks, plan.threads, error);
      }
      continue;
    }
    const int64_t before = failures;
    if (residual)
      testNorm(Norm::Residual, F32, F32, {&I8, HK_SCALE_GROUPS, 128, "groups of 128"}, shape, false, turn);
    else
      testNorm(Norm::Rms, BF16, BF16, {&E4M3FNUZ, HK_SCALE_ROWS, 0, "rows"}, shape, false, turn);
    if (failures != before)
      std::printf("  mode %d threads %d chunks %d rows in workgroup %d parts %d LDS %d workgroups %d\n", int(plan.mode),
                  plan.threads, plan.chunks, plan.rowsInWorkgroup, plan.parts, plan.inLds, int(plan.workgroups));
  }
}

void refuse(const char *what, RowPlan plan, int64_t rows, int64_t columns, bool workspace = true) {
  hk_launch launch = launchOf(workspace, false);
  const hk_output none = {{nullptr, HK_I8, columns}, HK_SCALE_GROUPS, 128, nullptr, 1000};
  forced = &plan, refused = true;
  if (hk_residual_rms_norm(&launch, rows, columns, {nullptr, 0, columns}, {nullptr, 0, columns}, {nullptr, 0}, 1, &none) == -1)
    return;
  ++failures;
  std::printf("%s: not refused\n", what);
}

void refusePitches(int64_t x, int64_t residual, int64_t y, int64_t scale) {
  const hk::QuantizedGroups<int8_t, 128> output{nullptr, y, nullptr, scale};
  if (hk::residualRmsNorm({}, {2, 128}, hk::Matrix<const float>{nullptr, x}, hk::Matrix<float>{nullptr, residual},
                          hk::RowVector<float>{nullptr}, 1, output) == hipErrorInvalidValue)
    return;
  ++failures;
  std::printf("pitches %lld %lld %lld %lld: not refused\n", (long long)x, (long long)residual, (long long)y,
              (long long)scale);
}

} // namespace

int main() {
  int turn = 0;
  for (const int chunks : {1, 2, 4, 8})
    for (const int cut : {0, 1, 2}) {
      for (const int lanes : {8, 32, 64})
        for (const int together : {64 / lanes, 256 / lanes})
          for (const int64_t workgroups : {1, 2, 100})
            tryPlan({RowMode::Packed, lanes, chunks, together, 1, false, workgroups}, 21, lanes * chunks - (chunks > 1 ? lanes / 3 : 0),
                    cut, ++turn);
      for (const int threads : {64, 192, 512, 1024})
        for (const int64_t workgroups : {2, 5})
          tryPlan({RowMode::Block, threads, chunks, 1, 1, false, workgroups}, 5, threads * chunks - threads / 3, cut, ++turn);
      for (const int parts : {2, 3, 4, 16})
        for (const int together : {1, hk::RowsAtOnce})
          for (const int threads : {64, 128, 256})
            if (together == 1 || parts != 3)
              tryPlan({RowMode::Split, threads, chunks, together, parts, false, 1}, 5,
                      (threads * chunks * parts - 32 * parts) / 32 * 32 - 5, cut, ++turn);
    }
  for (const int cut : {0, 1, 2})
    for (const bool inLds : {false, true})
      for (const int threads : {64, 1024})
        for (const int vectors : {1, 63, 700, 3000})
          for (const int64_t workgroups : {2, 3})
            tryPlan({RowMode::Long, threads, 4, 1, 1, inLds, workgroups}, 3, vectors, cut, ++turn);

  const RowPlan block{RowMode::Block, 256, 2, 1, 1, false, 4}, packed{RowMode::Packed, 32, 2, 4, 1, false, 4},
      split{RowMode::Split, 128, 2, 1, 4, false, 16}, inSteps{RowMode::Long, 1024, 4, 1, 1, false, 4};
  auto with = [](RowPlan plan, auto change) {
    change(plan);
    return plan;
  };
  const int64_t fits = 2000, packedFits = 256, splitFits = 4096;
  refuse("no threads", with(block, [](RowPlan &p) { p.threads = 0; }), 4, fits);
  refuse("part of a wavefront", with(block, [](RowPlan &p) { p.threads = 260; }), 4, fits);
  refuse("too many threads", with(block, [](RowPlan &p) { p.threads = 1088; }), 4, 7000);
  refuse("no chunks", with(block, [](RowPlan &p) { p.chunks = 0; }), 4, fits);
  refuse("three chunks", with(block, [](RowPlan &p) { p.chunks = 3; }), 4, 2900);
  refuse("16 chunks", with(block, [](RowPlan &p) { p.chunks = 16; }), 4, 16000);
  refuse("no workgroups", with(block, [](RowPlan &p) { p.workgroups = 0; }), 4, fits);
  refuse("two rows in Block", with(block, [](RowPlan &p) { p.rowsInWorkgroup = 2; }), 4, fits);
  refuse("parts in Block", with(block, [](RowPlan &p) { p.parts = 2; }), 4, fits);
  refuse("row too long for Block", block, 4, 2052);
  refuse("an empty chunk in Block", block, 4, 1024);
  refuse("lanes no power of two", with(packed, [](RowPlan &p) { p.threads = 48; }), 4, packedFits);
  refuse("lanes beyond a wavefront", with(packed, [](RowPlan &p) { p.threads = 128; p.rowsInWorkgroup = 1; }), 4, 1000);
  refuse("half a wavefront", with(packed, [](RowPlan &p) { p.rowsInWorkgroup = 1; }), 4, packedFits);
  refuse("too many rows in Packed", with(packed, [](RowPlan &p) { p.rowsInWorkgroup = 64; }), 400, packedFits);
  refuse("no rows in Packed", with(packed, [](RowPlan &p) { p.rowsInWorkgroup = 0; }), 4, packedFits);
  refuse("row too long for Packed", packed, 4, 260);
  refuse("no parts", with(split, [](RowPlan &p) { p.parts = 0; }), 4, splitFits);
  refuse("one part in Split", with(split, [](RowPlan &p) { p.parts = 1; }), 4, 1024);
  refuse("17 parts", with(split, [](RowPlan &p) { p.parts = 17; }), 4, 17 * 1024);
  refuse("an empty part", with(split, [](RowPlan &p) { p.parts = 16; }), 4, 1024);
  refuse("row too long for Split", split, 4, splitFits + 512);
  refuse("two rows in Split", with(split, [](RowPlan &p) { p.rowsInWorkgroup = 2; }), 4, splitFits);
  refuse("three parts of four rows", with(split, [](RowPlan &p) { p.rowsInWorkgroup = 4; p.parts = 3; }), 4, 3 * 1024);
  refuse("more parts than slots", split, 400, splitFits);
  refuse("no workspace", split, 4, splitFits, false);
  refuse("a cut row in Split", split, 4, splitFits - 1);
  refuse("two rows in Long", with(inSteps, [](RowPlan &p) { p.rowsInWorkgroup = 2; }), 4, fits);
  refuse("parts in Long", with(inSteps, [](RowPlan &p) { p.parts = 2; }), 4, fits);
  for (const int64_t pitch : {int64_t(-1), int64_t(1) << 31, int64_t(1) << 40}) {
    refusePitches(pitch, 128, 128, 1);
    refusePitches(128, pitch, 128, 1);
    refusePitches(128, 128, pitch, 1);
    refusePitches(128, 128, 128, pitch);
  }
  std::printf("%d plans, %d of them refused\n", plans, refusals);
  return finish();
}
