// Each kind of wrong argument of hk_gemm: its error and what the message says; nothing is started.
// RUN: %hip-sim-build %s %hk-kernels -o %t
// RUN: hk-sim --json=%t.json %t | FileCheck %s
// RUN: FileCheck --check-prefix=NONE %s < %t.json
// CHECK: all passed
// NONE: "kernels": []
#include "Inputs/device.h"

#include <climits>
#include <functional>
#include <string>

constexpr int64_t Size = 64;
constexpr int Invalid = hipErrorInvalidValue, Unsupported = hipErrorNotSupported;
static char *Memory;

/// All arguments, right unless a test changes one.
struct Call {
  hk_launch Launch{nullptr, nullptr, HK_EXACT};
  const hk_launch *Passed = &Launch;
  int64_t M = Size, N = Size, K = Size;
  hk_factor A{Memory, HK_F16, HK_ROW_MAJOR, Size, 0}, B{Memory, HK_F16, HK_COLUMN_MAJOR, Size, 0};
  hk_matrix Y{Memory, HK_F16, Size};
  hk_gemm_options O;
  Call() {
    hk_gemm_defaults(&O);
    O.beta = 1, O.c = O.residual = Y;
    O.bias = {Memory, HK_F32};
  }
  void plain(int Type, int TypeOfY) {
    A.type = B.type = Type, Y.type = TypeOfY;
    hk_gemm_defaults(&O);
  }
  int start() { return hk_gemm(Passed, M, N, K, A, B, Y, &O); }
};

static void is(int Error, int Wanted, const std::string &Message) {
  if (Error == Wanted && Message == hk_last_message())
    return;
  std::printf("FAILED: %d \"%s\", not %d \"%s\"\n", Error, hk_last_message(), Wanted, Message.c_str());
  ++Failures;
}
static void refused(int Error, const std::string &Message, const std::function<void(Call &)> &Change) {
  Call C;
  Change(C);
  is(C.start(), Error, Message);
}

int main() {
  Device<char> All(Size * Size * 4);
  Memory = All.data();
  refused(Invalid, "launch: null", [](Call &C) { C.Passed = nullptr; });
  refused(Invalid, "launch.policy: 2 is none of 0 to 1", [](Call &C) { C.Launch.policy = 2; });
  refused(Invalid, "m: -1 is negative", [](Call &C) { C.M = -1; });
  refused(Invalid, "n: -2 is negative", [](Call &C) { C.N = -2; });
  refused(Invalid, "k: -3 is negative", [](Call &C) { C.K = -3; });
  refused(Unsupported, "m: 2147483648 is more than 2^31 - 256", [](Call &C) { C.M = int64_t(1) << 31; });
  refused(Unsupported, "n: 9223372036854775807 is more than 2^31 - 256", [](Call &C) { C.N = INT64_MAX; });
  refused(Invalid, "m: 2147483392 of 2147483392 n are more than 2^60 elements",
          [](Call &C) { C.M = C.N = 0x7fffff00, C.K = 1; });
  refused(Invalid, "options.batches: -1 is negative", [](Call &C) { C.O.batches = -1; });
  refused(Unsupported, "options.batches: 65536 is more than 65535", [](Call &C) { C.O.batches = 65536; });
  for (bool First : {true, false}) {
    const std::string Name = First ? "a" : "b", Line = First ? "row" : "column";
    auto of = [=](Call &C) -> hk_factor & { return First ? C.A : C.B; };
    refused(Invalid, Name + ".type: 10 is no hk_type", [=](Call &C) { of(C).type = 10; });
    refused(Unsupported, Name + ".type: not built for U8 here", [=](Call &C) { of(C).type = HK_U8; });
    refused(Unsupported, Name + ".type: not built for E4M3 here", [=](Call &C) { of(C).type = HK_E4M3; });
    refused(Invalid, Name + ".layout: 2 is none of 0 to 1", [=](Call &C) { of(C).layout = 2; });
    refused(Invalid, Name + ".data: null", [=](Call &C) { of(C).data = nullptr; });
    refused(Invalid, Name + ".data: not aligned to its elements of 2 bytes", [=](Call &C) { of(C).data = Memory + 1; });
    refused(Invalid, Name + ".ld: 63 is less than the 64 elements of a " + Line, [=](Call &C) { of(C).ld = 63; });
    refused(Invalid, Name + ".ld: -1 is negative", [=](Call &C) { of(C).ld = -1, C.M = C.N = 1, C.O.beta = 0; });
    refused(Unsupported, Name + ".ld: 256 times 8388608 elements are more than 4 GiB",
            [=](Call &C) { of(C).ld = 1 << 23; });
    refused(Invalid, Name + ".stride: -1 is negative", [=](Call &C) { of(C).stride = -1; });
    refused(Invalid, Name + ".stride: 9223372036854775807 goes beyond 2^59 elements",
            [=](Call &C) { of(C).stride = INT64_MAX, C.O.batches = 3; });
  }
  refused(Invalid, "a.ld: 64 is less than the 65 elements of a column",
          [](Call &C) { C.M = 65, C.A.layout = HK_COLUMN_MAJOR; });
  refused(Unsupported, "b.type: built for the type of a only", [](Call &C) { C.B.type = HK_BF16; });
  for (int Type : {int(HK_I8), int(hk_native_fp8())}) {
    refused(Unsupported, "a.layout: built for row-major only with types of 8 bits",
            [=](Call &C) { C.plain(Type, HK_F16), C.A.layout = HK_COLUMN_MAJOR; });
    refused(Unsupported, "b.layout: built for column-major only with types of 8 bits",
            [=](Call &C) { C.plain(Type, HK_F16), C.B.layout = HK_ROW_MAJOR; });
    refused(Unsupported, "y.type: not built for I8 here", [=](Call &C) { C.plain(Type, HK_I8); });
  }
  refused(Unsupported, "y.type: not built for I32 here", [](Call &C) { C.plain(hk_native_fp8(), HK_I32); });
  refused(Unsupported, "y.type: I32 is for sums as they are, without other options",
          [](Call &C) { C.plain(HK_I8, HK_I32), C.O.alpha = 2; });
  refused(Unsupported, "y.type: not built for BF16 here", [](Call &C) { C.Y.type = HK_BF16; });
  refused(Unsupported, "y.type: not built for F16 here", [](Call &C) { C.plain(HK_F32, HK_F16); });
  refused(Invalid, "y.data: null", [](Call &C) { C.Y.data = nullptr; });
  refused(Invalid, "y.pitch: 63 is less than the 64 columns", [](Call &C) { C.Y.pitch = 63; });
  refused(Unsupported, "y.pitch: 2147483648 is more than 2^31 - 1", [](Call &C) { C.Y.pitch = int64_t(1) << 31; });

  refused(Invalid, "options.alpha: not a finite number", [](Call &C) { C.O.alpha = NAN; });
  refused(Invalid, "options.beta: not a finite number", [](Call &C) { C.O.beta = INFINITY; });
  refused(Invalid, "options.c.data: null", [](Call &C) { C.O.c.data = nullptr; });
  refused(Unsupported, "options.c.type: not built for BF16 here", [](Call &C) { C.O.c.type = HK_BF16; });
  refused(Invalid, "options.c.pitch: 1 is less than the 64 columns", [](Call &C) { C.O.c.pitch = 1; });
  refused(Invalid, "options.c_stride: -1 is negative", [](Call &C) { C.O.c_stride = -1; });
  refused(Unsupported, "options.bias.type: not built for I8 here", [](Call &C) { C.O.bias.type = HK_I8; });
  refused(Invalid, "options.bias.data: not aligned to its elements of 4 bytes",
          [](Call &C) { C.O.bias.data = Memory + 2; });
  refused(Invalid, "options.activation: 5 is none of 0 to 4", [](Call &C) { C.O.activation = 5; });
  refused(Invalid, "options.residual.pitch: 1 is less than the 64 columns", [](Call &C) { C.O.residual.pitch = 1; });
  refused(Invalid, "options.residual_stride: -1 is negative", [](Call &C) { C.O.residual_stride = -1; });
  float *const Odd = reinterpret_cast<float *>(Memory + 2);
  refused(Invalid, "options.row_scale: not aligned to its elements of 4 bytes", [=](Call &C) { C.O.row_scale = Odd; });
  refused(Invalid, "options.column_scale: not aligned to its elements of 4 bytes",
          [=](Call &C) { C.O.column_scale = Odd; });
  refused(Invalid, "options.out_scale: not aligned to its elements of 4 bytes", [=](Call &C) { C.O.out_scale = Odd; });
  refused(Invalid, "options.out_row_scale: not aligned to its elements of 4 bytes",
          [=](Call &C) { C.O.out_row_scale = Odd; });
  refused(Invalid, "options.y_stride: -1 is negative", [](Call &C) { C.O.y_stride = -1; });
  refused(Invalid, "options.y_stride: 0 with 2 batches", [](Call &C) { C.O.batches = 2; });
  refused(Invalid, "options.workspace: not aligned to its elements of 16 bytes",
          [](Call &C) { C.O.workspace = Memory + 8; });
  refused(Invalid, "options.constant_b: 2 is none of 0 to 1", [](Call &C) { C.O.constant_b = 2; });
  refused(Invalid, "options.splits: -1 is negative", [](Call &C) { C.O.splits = -1; });
  refused(Invalid, "options.mode: 5 is none of 0 to 4", [](Call &C) { C.O.splits = 1, C.O.mode = 5; });
  const char *const NoPlan = "options.config: there is no such kernel for this, or options.workspace_bytes are too few";
  refused(Invalid, NoPlan, [](Call &C) { C.O.splits = 1, C.O.mode = 1, C.O.config = 1000; });
  refused(Invalid, NoPlan, [](Call &C) { C.O.splits = 4, C.O.mode = 1; });
  refused(Invalid, NoPlan, [](Call &C) { C.O.splits = 1, C.O.mode = 0, C.A.layout = HK_COLUMN_MAJOR; });

  size_t Bytes = 1;
  is(hk_gemm_workspace_bytes(-1, 1, 1, 1, HK_F16, &Bytes), Invalid, "m: -1 is negative");
  is(hk_gemm_workspace_bytes(1, 1, 1, -1, HK_F16, &Bytes), Invalid, "batches: -1 is negative");
  is(hk_gemm_workspace_bytes(1, 1, 1, 1, HK_U8, &Bytes), Unsupported, "type: not built for U8 here");
  is(hk_gemm_workspace_bytes(1, 1, 1, 1, HK_F16, nullptr), Invalid, "bytes: null");
  is(hk_prepare_gemm_workspace(nullptr, 1 << 20, nullptr), Invalid, "workspace: null");
  is(hk_prepare_gemm_workspace(Memory, 16, nullptr), Invalid, "bytes: 16, at least 65536 are needed");

  // Nothing to do: right, without any memory.
  Memory = nullptr;
  for (int64_t Call::*Empty : {&Call::M, &Call::N}) {
    Call C;
    C.*Empty = 0, C.O.beta = 0;
    check(C.start() == 0, "no rows or columns");
  }
  Call C;
  C.O.batches = 0;
  check(C.start() == 0, "no batches");
  check(hk_gemm_workspace_bytes(0, 1, 1, 1, HK_F16, &Bytes) == 0 && Bytes == 0, "no workspace");
  return finish();
}
