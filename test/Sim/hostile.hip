// Fields of a code object that lie: sizes, offsets, depths.
//
// RUN: %sim-clang %s -o %t.co
// RUN: %python %S/hostile.py %hk-sim-run %t.co %t.hostile
#include "Inputs/kernel.h"

KERNEL k(int *p) { p[lane()] = 1; }
