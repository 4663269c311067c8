// hk_gemm against its formula in f64: types, layouts, options, batches, with and without a workspace.
// RUN: %hip-sim-build %s %hk-kernels -o %t
// RUN: hk-sim --races --waits --uninitialized --strict %t | FileCheck %s
// CHECK: all passed
#include "Inputs/gemm.h"

static hk_launch Exact{nullptr, nullptr, HK_EXACT};

/// What a case has; sizes, types and the rest are the defaults of hk_gemm otherwise.
struct Case {
  const char *Name;
  int64_t M, N, K;
  int Type, LayoutA, LayoutB, TypeOfY;
  int Extras = -1; ///< type of C, bias and residual; -1: none
  int Activation = HK_IDENTITY;
  bool Scales = false, Workspace = false;
  int Batches = 1;
  int Gap = 0; ///< columns beyond each row
};

static void run(const Case &T) {
  const int64_t Batches = T.Batches, YPitch = T.N + T.Gap;
  Factor A(T.Type, T.LayoutA, Batches, T.M, T.K, T.Gap, 1), B(T.Type, T.LayoutB, 1, T.K, T.N, T.Gap, 2);
  Elements Y(T.TypeOfY, size_t(Batches * T.M * YPitch));
  const int E = T.Extras < 0 ? HK_F32 : T.Extras;
  Elements C(E, size_t(Batches * T.M * YPitch), 3), R(E, size_t(T.M * T.N), 4), Bias(E, size_t(T.N), 5);
  auto scales = [](size_t Count, float From) {
    std::vector<float> All;
    for (size_t N = 0; N < Count; ++N)
      All.push_back(From * (1 + float(N % 7) / 8));
    return All;
  };
  const auto RowScale = scales(size_t(T.M), 0.5f), ColumnScale = scales(size_t(T.N), 0.25f),
             OutScale = scales(1, 0.75f), OutRowScale = scales(size_t(T.M), 2.0f);
  Device<float> DRow(RowScale), DColumn(ColumnScale), DOut(OutScale), DOutRow(OutRowScale);

  hk_gemm_options O;
  hk_gemm_defaults(&O);
  O.batches = Batches;
  O.y_stride = T.M * YPitch;
  if (T.Extras >= 0) {
    O.alpha = 0.5f, O.beta = -2;
    O.c = {C.data(), E, YPitch}, O.c_stride = T.M * YPitch;
    O.bias = {Bias.data(), E};
    O.residual = {R.data(), E, T.N};
  }
  O.activation = T.Activation;
  if (T.Scales)
    O.row_scale = DRow.data(), O.column_scale = DColumn.data(), O.out_scale = DOut.data(),
    O.out_row_scale = DOutRow.data();
  constexpr size_t Bytes = 1 << 20;
  Device<uint8_t> Workspace(Bytes);
  if (T.Workspace) { // a plan that splits, whatever would be chosen
    started(hk_prepare_gemm_workspace(Workspace.data(), Bytes, nullptr));
    O.workspace = Workspace.data(), O.workspace_bytes = Bytes;
    O.splits = 3, O.mode = 1, O.config = 0;
  }
  // Twice: a launch leaves the workspace ready for the next.
  for (int Time = 0; Time < (T.Workspace ? 2 : 1); ++Time)
    started(hk_gemm(&Exact, T.M, T.N, T.K, A.get(), B.get(), {Y.data(), T.TypeOfY, YPitch}, &O));

  const auto Is = Y.host(), HC = C.host(), HR = R.host(), HBias = Bias.host();
  int Wrong = 0;
  for (int64_t Z = 0; Z < Batches; ++Z)
    for (int64_t I = 0; I < T.M; ++I)
      for (int64_t J = 0; J < T.N; ++J) {
        double Sum = 0, Size = 0;
        for (int64_t L = 0; L < T.K; ++L) {
          const double Product = A.at(Z, I, L) * B.at(0, L, J);
          Sum += Product, Size += std::fabs(Product);
        }
        double V = O.alpha * Sum, Error = Size * double(T.K + 8) * 0x1p-24;
        if (T.Type == HK_I8)
          Error = Size * 0x1p-22;
        if (T.Scales)
          V *= double(RowScale[size_t(I)]) * ColumnScale[size_t(J)];
        const size_t At = size_t((Z * T.M + I) * YPitch + J);
        if (T.Extras >= 0)
          V += O.beta * HC[At] + HBias[size_t(J)];
        V = activationOf(T.Activation, V);
        if (T.Extras >= 0)
          V += HR[size_t(I * T.N + J)];
        if (T.Scales)
          V /= double(OutScale[0]) * OutRowScale[size_t(I)];
        Error += std::fabs(V) * 0x1p-19 + 1e-6;
        if (!isRounded(T.TypeOfY, Is[At], V, Error) && Wrong++ == 0)
          std::printf("FAILED: %s: %lld, %lld: %.9g, not %.9g\n", T.Name, (long long)I, (long long)J, Is[At], V);
      }
  Failures += Wrong;
}

int main() {
  constexpr int R = HK_ROW_MAJOR, C = HK_COLUMN_MAJOR;
  const int FP8 = hk_native_fp8();
  for (int Type : {HK_F16, HK_BF16, HK_F32})
    for (int A : {R, C})
      for (int B : {R, C})
        run({"layouts", 70, 67, 72, Type, A, B, Type, Type, HK_RELU, false, false, 1, A == B ? 0 : 3});
  // Types of what is added and of what comes out.
  for (int Y : {int(HK_F16), int(HK_F32), FP8, int(HK_I8)})
    for (int Extras : {HK_F16, HK_F32})
      run({"types, f16", 5, 130, 64, HK_F16, R, C, Y, Extras, HK_IDENTITY, true});
  for (int Y : {HK_F16, HK_BF16, HK_F32})
    for (int Extras : {HK_F16, HK_BF16, HK_F32}) {
      run({"types, fp8", 3, 68, 256, FP8, R, C, Y, Extras, HK_IDENTITY, true});
      run({"types, int8", 17, 36, 192, HK_I8, R, C, Y, Extras, HK_IDENTITY, true});
    }
  run({"sums of int8", 33, 70, 200, HK_I8, R, C, HK_I32});
  for (int Activation = HK_IDENTITY; Activation <= HK_SILU; ++Activation)
    run({"activations", 4, 66, 32, HK_BF16, R, C, HK_F32, HK_BF16, Activation, false, false, 1, 2});
  run({"K split", 4, 96, 1024, HK_F16, R, C, HK_F16, HK_F32, HK_SILU, true, true});
  run({"K split, fp8", 9, 64, 2048, FP8, R, C, HK_BF16, -1, HK_IDENTITY, true, true});
  run({"batches", 6, 40, 48, HK_F16, R, C, HK_F32, HK_F16, HK_IDENTITY, false, false, 3, 5});
  run({"batches of turned factors", 6, 40, 48, HK_BF16, C, R, HK_BF16, HK_F32, HK_IDENTITY, true, false, 3, 5});
  run({"no K", 3, 5, 0, HK_F16, R, C, HK_F32, HK_F32});
  // What is chosen for weights that few workgroups would read.
  size_t Bytes = 0;
  started(hk_gemm_workspace_bytes(4, 64, 65536, 1, HK_F16, &Bytes));
  check(Bytes > 65536, "K is split where there are few tiles");
  // The defaults.
  Factor A(HK_F16, R, 1, 2, 8, 0, 1), B(HK_F16, C, 1, 8, 3, 0, 2);
  Elements Y(HK_F32, 6);
  started(hk_gemm(&Exact, 2, 3, 8, A.get(), B.get(), {Y.data(), HK_F32, 3}, nullptr));
  const auto Is = Y.host();
  for (int N = 0; N < 6; ++N) {
    double Sum = 0;
    for (int L = 0; L < 8; ++L)
      Sum += A.at(0, N / 3, L) * B.at(0, L, N % 3);
    near(Is[size_t(N)], Sum, 1e-5, "defaults");
  }
  return finish();
}
