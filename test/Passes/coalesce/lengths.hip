// Rows whose length only memory says are not shared by lanes, which short ones would leave idle, unless they are said to be long.
// RUN: %hk-opt rewrite --passes=coalesce %s -- -std=c++17 2>&1 >/dev/null | FileCheck %s
// RUN: %hk-opt rewrite --passes=coalesce --assume=long-loops -o %t.hip %s -- -std=c++17 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: FileCheck %s --check-prefix=TEXT < %t.hip
// The groups of a row have the size that --block-size says.
// RUN: %hk-opt rewrite --passes=coalesce --block-size=128 -o %t.hip %s -- -std=c++17 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SIZE < %t.hip
// RUN: %hk-opt rewrite --passes=coalesce --block-size=64 -o %t.hip %s -- -std=c++17 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=WAVE < %t.hip
#include <hip/hip_runtime.h>

// CHECK: lengths.hip:[[#@LINE+5]]:17: remark: its uncoalesced accesses stay as they are
// CHECK: [failed] loops are long enough for lanes to share them: how long they are is not known at the launch; --assume=long-loops would say it
// LONG: lengths.hip:[[#@LINE+3]]:17: remark: a group of lanes shares what each work-item goes through
// LONG: [assumed] loops are long enough for lanes to share them: --assume=long-loops
// TEXT: hk::launchGroups(hk_items, 0, hk::Rows::
__global__ void sparse(const int *__restrict__ starts, const int *__restrict__ values, int *__restrict__ y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int sum = 0;
  for (int c = starts[r]; c < starts[r + 1]; ++c)
    sum += values[c];
  y[r] = sum;
}

// CHECK: lengths.hip:[[#@LINE+4]]:17: remark: a group of lanes shares
// TEXT: hk::launchGroups(hk_items, size_t(hk::Range(columns)), hk::Rows::Once
// SIZE: hk::launchGroupsOf<128>(hk_items, size_t({{.*}}columns{{.*}}), hk::Rows::Once, hk_stream, dense_coalesced<hk::Group<hk::InWave, 128>>, dense_coalesced<hk::Group<128>>,
// WAVE: hk::launchGroupsOf<64>(hk_items, size_t({{.*}}columns{{.*}}), hk::Rows::Once, hk_stream, dense_coalesced<hk::Group<hk::InWave, 64>>, dense_coalesced<hk::Group<hk::InWave, 64>>,
__global__ void dense(const int *__restrict__ values, int *__restrict__ y, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += values[r * columns + c];
  y[r] = sum;
}

void launch(const int *starts, const int *values, int *y) {
  sparse<<<4, 64>>>(starts, values, y, 256);
  dense<<<4, 64>>>(values, y, 256, 1000);
}
