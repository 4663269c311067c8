// All values, all boundaries of rounding: f16 and bf16 on the device and on the host.
// RUN: %hip-sim-build --offload-arch=gfx90a --offload-arch=gfx950 -I%runtime-include %s -o %t
// RUN: hk-sim --uninitialized --waits %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --uninitialized --waits %t | FileCheck %s
// RUN: hk-sim --arch=gfx950 --uninitialized --waits %t | FileCheck %s
// CHECK: all passed
#include "Inputs/floats.h"

int main() {
  using reference::Top;
  test::testFormat<hk::f16>("f16", {5, 10, 15, Top::Ieee});
  test::testFormat<hk::bf16>("bf16", {8, 7, 127, Top::Ieee});
  return test::finish();
}
