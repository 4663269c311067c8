// All bytes, all f16 and bf16, all boundaries of rounding: the four 8-bit formats.
// RUN: %hip-sim-build --offload-arch=gfx90a --offload-arch=gfx950 -I%runtime-include %s -o %t
// RUN: hk-sim --uninitialized --waits %t | FileCheck %s
// RUN: hk-sim --arch=gfx90a --uninitialized --waits %t | FileCheck %s
// RUN: hk-sim --arch=gfx950 --uninitialized --waits %t | FileCheck %s
// CHECK: all passed
#include "Inputs/floats.h"

int main() {
  using reference::Top;
  test::testFormat<hk::e4m3>("e4m3", {4, 3, 7, Top::OneNaN});
  test::testFormat<hk::e5m2>("e5m2", {5, 2, 15, Top::Ieee});
  test::testFormat<hk::e4m3fnuz>("e4m3fnuz", {4, 3, 8, Top::Fnuz});
  test::testFormat<hk::e5m2fnuz>("e5m2fnuz", {5, 2, 16, Top::Fnuz});
  return test::finish();
}
