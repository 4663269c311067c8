// A dimension is a number only if the launch cannot have another one.
// RUN: hk-parse-dump %s -- %hip-flags -DFROM_FLAGS=96 | FileCheck %s
#include <algorithm>
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void k() {}
int global = 64;
const int global_const = 65;
extern const int elsewhere;
static int file_local = 66;
static int file_changed = 67;
const int computed = std::max(1, global);
enum { Enumerator = 68 };
struct Config { static constexpr int Threads = 69; int member = 70; };
volatile static int unstable = 71;
void change(int &n);
void look(const int &n);
void keep(int *p);
void take(dim3 d);
int some();

void refused(int parameter, int defaulted, Config config, dim3 *pointer, dim3 &reference) {
  // CHECK-LABEL: in 'refused' grid {parameter},1,1 block {global},1,1
  k<<<parameter, global>>>();
  // CHECK-NEXT: grid {elsewhere},1,1 block {file_changed},1,1
  k<<<elsewhere, file_changed>>>();
  file_changed = 1;
  // CHECK-NEXT: grid {unstable},1,1 block {config.member},1,1
  k<<<unstable, config.member>>>();
  // CHECK-NEXT: grid {(*pointer).x},{(*pointer).y},{(*pointer).z} block {reference.x},{reference.y},{reference.z}
  k<<<*pointer, reference>>>();
  int assigned = 1;
  assigned = 2;
  int incremented = 1;
  // CHECK-NEXT: grid {assigned},1,1 block {incremented},1,1
  k<<<assigned, incremented>>>();
  ++incremented;
  int compound = 1, referenced = 1;
  compound *= 2;
  int &alias = referenced;
  // CHECK-NEXT: grid {compound},1,1 block {referenced},1,1
  k<<<compound, referenced>>>();
  // CHECK-NEXT: grid {alias},1,1
  k<<<alias, 1>>>();
  int by_reference = 1, by_address = 1, by_const = 1;
  change(by_reference);
  keep(&by_address);
  look(by_const);
  // CHECK-NEXT: grid {by_reference},1,1 block {by_address},1,1
  k<<<by_reference, by_address>>>();
  // Its address may be kept, and the constness cast away.
  // CHECK-NEXT: grid {by_const},1,1
  k<<<by_const, 1>>>();
  int captured = 1;
  auto lambda = [&] { captured = 2; };
  auto explicitly = [&by_const] { return by_const; };
  // CHECK-NEXT: grid {captured},1,1
  k<<<captured, 1>>>();
  lambda();
  (void)explicitly;
  int scanned = 1;
  std::sscanf("2", "%d", &scanned);
  // CHECK-NEXT: grid {scanned},1,1
  k<<<scanned, 1>>>();
  int uninitialized;
  uninitialized = 3;
  // CHECK-NEXT: grid {uninitialized},1,1
  k<<<uninitialized, 1>>>();
  for (int i = 1; i < 3; i++)
    // CHECK-NEXT: grid {i},1,1 block {1 << i},1,1
    k<<<i, 1 << i>>>();
  dim3 member(1, 2, 3), whole(1, 2, 3), addressed(4), unknown = *pointer;
  member.y = 3;
  whole = dim3(4);
  keep((int *)&addressed);
  // CHECK-NEXT: grid {member.x},{member.y},{member.z} block {whole.x},{whole.y},{whole.z}
  k<<<member, whole>>>();
  // CHECK-NEXT: grid {addressed.x},{addressed.y},{addressed.z} block {(*pointer).x},{(*pointer).y},{(*pointer).z}
  k<<<addressed, unknown>>>();
  int chosen = parameter ? 1 : 2;
  // CHECK-NEXT: grid {parameter ? 1 : 2},1,1 block {chosen},1,1
  k<<<parameter ? 1 : 2, chosen>>>();
  // CHECK-NEXT: grid {some()},1,1 block {1 / zero},1,1
  int zero = 0;
  k<<<some(), 1 / zero>>>();
  // What overflows or is negative on the way has no value worth knowing.
  int large = 65536, minus = -1;
  // CHECK-NEXT: grid {large * large},1,1 block {minus / 4},1,1
  k<<<large * large, minus / 4>>>();
  // CHECK-NEXT: grid {computed},1,1
  k<<<computed, 1>>>();
}

void accepted(int n) {
  // CHECK: in 'accepted' grid 65,1,1 block 66,1,1
  k<<<global_const, file_local>>>();
  // CHECK-NEXT: grid 68,1,1 block 69,1,1
  k<<<Enumerator, Config::Threads>>>();
  // CHECK-NEXT: grid 96,1,1 block 256,2,4
  const dim3 block(256, 2, 4);
  k<<<FROM_FLAGS, block>>>();
  int threads = 128;
  unsigned blocks = 1024u / threads;
  const int local = 2 * threads;
  // Reading is no change.
  std::printf("%d %zu\n", threads, sizeof(threads));
  take(block);
  auto copy = [threads] { return threads; };
  int least = std::min(threads, n);
  // CHECK-NEXT: grid 8,1,1 block 128,1,1
  k<<<blocks, threads>>>();
  // CHECK-NEXT: grid 4096,1,1 block 256,1,1
  k<<<(1 << 20) / local, local>>>();
  dim3 same = block;
  dim3 one;
  // CHECK-NEXT: grid 1,1,1 block 256,2,4
  k<<<one, same>>>();
  // Known and unknown parts mix.
  // CHECK-NEXT: grid {(n + threads - 1) / threads},4,1 block 128,256,4
  k<<<dim3((n + threads - 1) / threads, 4), dim3(threads, block.x, block.z)>>>();
  dim3 grid((n + 15) / 16, 3);
  // CHECK-NEXT: grid {(n + 15) / 16},3,1 block 16,16,1
  k<<<grid, dim3{16, 16}>>>();
  // CHECK-NEXT: grid {least},1,1 block 4,1,1
  k<<<least, 'A' - 61>>>();
  (void)copy;
}

template <int B> void deduced() {
  constexpr int Twice = 2 * B;
  int plain = B;
  // CHECK: in 'deduced' grid 64,1,1 block 32,1,1
  k<<<Twice, plain>>>();
}
template void deduced<32>();
