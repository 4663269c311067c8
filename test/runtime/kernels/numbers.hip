// Each function of the interface once, against what it is defined to be.
// RUN: %hip-sim-build %s %hk-kernels -o %t
// RUN: hk-sim --races --uninitialized --waits %t | FileCheck %s
// CHECK: all passed
#include "Inputs/device.h"

constexpr int Rows = 3, Columns = 130;
constexpr float Epsilon = 1e-5f;
static hk_launch Exact{nullptr, nullptr, HK_EXACT}, Fast{nullptr, nullptr, HK_FAST};

template <class T>
static hk_matrix matrix(const Device<T> &From, hk_type Type, int64_t Pitch = Columns) {
  return {From.data(), Type, Pitch};
}
static hk_output plain(hk_matrix Values) { return {Values, HK_SCALE_NONE, 0, nullptr, 0}; }

static double inverseOf(const std::vector<float> &H, int Row) {
  double Sum = 0;
  for (int C = 0; C < Columns; ++C)
    Sum += double(H[Row * Columns + C]) * H[Row * Columns + C];
  return 1 / std::sqrt(Sum / Columns + Epsilon);
}

static void rmsNorm() {
  const auto X = values(Rows * Columns, 1), W = values(Columns, 2);
  Device<float> DX(X), DW(W), DY(Rows * Columns);
  const hk_output Y = plain(matrix(DY, HK_F32));
  started(hk_rms_norm(&Exact, Rows, Columns, matrix(DX, HK_F32), {DW.data(), HK_F32}, Epsilon, &Y));
  const auto Is = DY.host();
  for (int N = 0; N < Rows * Columns; ++N)
    near(Is[N], X[N] * inverseOf(X, N / Columns) * W[N % Columns], 1e-5, "rms_norm");
}

static void residualRmsNorm(bool Split) {
  // A row of bf16 that several workgroups share if there is a workspace, with a scale of its own.
  constexpr int Long = 8192;
  auto X = values(Long, 3), R = values(Long, 4), W = values(Long, 5);
  Device<uint16_t> DX(asBF16(X)), DR(asBF16(R)), DW(asBF16(W));
  Device<uint8_t> DY(Long), Workspace(hk_workspace_bytes());
  Device<float> Scale(1);
  hk_launch Launch = Exact;
  if (Split) {
    started(hk_prepare_workspace(Workspace.data(), nullptr));
    Launch.workspace = Workspace.data();
  }
  const hk_output Y{matrix(DY, hk_native_fp8(), Long), HK_SCALE_ROWS, 0, Scale.data(), 0};
  started(hk_residual_rms_norm(&Launch, 1, Long, matrix(DX, HK_BF16, Long),
                               matrix(DR, HK_BF16, Long), {DW.data(), HK_BF16}, Epsilon, &Y));
  std::vector<float> H(Long);
  double Sum = 0, Most = 0;
  for (int C = 0; C < Long; ++C) {
    H[C] = fromBF16(toBF16(X[C] + R[C]));
    Sum += double(H[C]) * H[C];
  }
  const double Inverse = 1 / std::sqrt(Sum / Long + Epsilon);
  for (int C = 0; C < Long; ++C)
    Most = std::fmax(Most, std::fabs(H[C] * Inverse * fromBF16(toBF16(W[C]))));
  const float Is = Scale.host()[0];
  near(Is, Most / 240, 1e-5, "residual_rms_norm, scale");
  const auto Residual = DR.host();
  const auto Q = DY.host();
  for (int C = 0; C < Long; ++C) {
    near(fromBF16(Residual[C]), H[C], 0, "residual_rms_norm, residual");
    const double Should = H[C] * Inverse * fromBF16(toBF16(W[C]));
    check(std::fabs(fromE4M3FNUZ(Q[C]) * Is - Should) <=
              std::fabs(Should) / 16 * 1.001 + Is / 1024 * 1.001,
          "residual_rms_norm, values");
  }
}

static void layerNorm() {
  const auto X = values(Rows * Columns, 6), W = values(Columns, 7), B = values(Columns, 8);
  Device<float> DX(X), DW(W), DB(B), DY(Rows * Columns);
  const hk_output Y = plain(matrix(DY, HK_F32));
  for (bool Affine : {false, true}) {
    started(hk_layer_norm(&Exact, Rows, Columns, matrix(DX, HK_F32),
                          {Affine ? DW.data() : nullptr, HK_F32},
                          {Affine ? DB.data() : nullptr, HK_F32}, Epsilon, &Y));
    const auto Is = DY.host();
    for (int Row = 0; Row < Rows; ++Row) {
      double Mean = 0, Variance = 0;
      for (int C = 0; C < Columns; ++C)
        Mean += X[Row * Columns + C] / double(Columns);
      for (int C = 0; C < Columns; ++C)
        Variance += std::pow(X[Row * Columns + C] - Mean, 2) / Columns;
      for (int C = 0; C < Columns; ++C) {
        const double Normal = (X[Row * Columns + C] - Mean) / std::sqrt(Variance + Epsilon);
        near(Is[Row * Columns + C], Affine ? Normal * W[C] + B[C] : Normal, 1e-4, "layer_norm");
      }
    }
  }
}

static void softmax() {
  const auto X = values(Rows * Columns, 9);
  auto Mask = values(Columns, 10);
  Mask[5] = -INFINITY;
  Device<float> DX(X), DM(Mask), DY(Rows * Columns);
  for (const hk_launch *Launch : {&Exact, &Fast}) {
    started(hk_softmax(Launch, Rows, Columns, matrix(DX, HK_F32), 0.5f, matrix(DM, HK_F32, 0),
                       matrix(DY, HK_F32)));
    const auto Is = DY.host();
    for (int Row = 0; Row < Rows; ++Row) {
      double Sum = 0;
      for (int C = 0; C < Columns; ++C)
        Sum += std::exp(0.5 * X[Row * Columns + C] + Mask[C]);
      for (int C = 0; C < Columns; ++C)
        near(Is[Row * Columns + C], std::exp(0.5 * X[Row * Columns + C] + Mask[C]) / Sum, 1e-5,
             "softmax");
      check(Is[Row * Columns + 5] == 0, "softmax, masked");
    }
  }
}

static double activationOf(int Activation, double X) {
  switch (Activation) {
  case HK_RELU:
    return X < 0 ? 0 : X;
  case HK_GELU_EXACT:
    return 0.5 * X * (1 + std::erf(X / std::sqrt(2.0)));
  case HK_GELU_TANH:
    return 0.5 * X * (1 + std::tanh(std::sqrt(2 / M_PI) * (X + 0.044715 * X * X * X)));
  case HK_SILU:
    return X / (1 + std::exp(-X));
  }
  return X;
}

static void gated() {
  // Halves of one tensor.
  const auto X = values(Rows * 2 * Columns, 11);
  Device<float> DX(X), DY(Rows * Columns), Scale(std::vector<float>{0.25f}), Scales(Rows * 2);
  Device<int8_t> DQ(Rows * Columns);
  const hk_matrix Gate = matrix(DX, HK_F32, 2 * Columns),
                  Up{DX.data() + Columns, HK_F32, 2 * Columns};
  auto shouldBe = [&](int Activation, int N) {
    const int Row = N / Columns, C = N % Columns;
    return activationOf(Activation, X[Row * 2 * Columns + C]) * X[Row * 2 * Columns + Columns + C];
  };
  for (int A = HK_IDENTITY; A <= HK_SILU; ++A)
    for (const hk_launch *Launch : {&Exact, &Fast}) {
      const hk_output Y = plain(matrix(DY, HK_F32));
      started(hk_gated(Launch, Rows, Columns, hk_activation(A), Gate, Up, &Y));
      const auto Is = DY.host();
      for (int N = 0; N < Rows * Columns; ++N)
        near(Is[N], shouldBe(A, N), 1e-4, "gated");
    }
  for (int Scaling : {HK_SCALE_NONE, HK_SCALE_TENSOR}) {
    const hk_output Y{matrix(DQ, HK_I8), Scaling, 0, Scale.data(), 0};
    started(hk_gated(&Exact, Rows, Columns, HK_RELU, Gate, Up, &Y));
    const auto Is = DQ.host();
    for (int N = 0; N < Rows * Columns; ++N)
      check(std::fabs(Is[N] - shouldBe(HK_RELU, N) / (Scaling ? 0.25 : 1)) <= 0.50001,
            "gated, a static scale");
  }
  const hk_output Y{matrix(DQ, HK_I8), HK_SCALE_GROUPS, 128, Scales.data(), 2};
  started(hk_gated(&Exact, Rows, Columns, HK_SILU, Gate, Up, &Y));
  const auto Is = DQ.host();
  const auto Each = Scales.host();
  for (int N = 0; N < Rows * Columns; ++N)
    check(std::fabs(Is[N] - shouldBe(HK_SILU, N) / Each[N / Columns * 2 + N % Columns / 128]) <=
              0.5001,
          "gated, scales of groups");
}

static void biasActivation() {
  const auto X = values(Rows * Columns, 12), B = values(Columns, 13);
  Device<float> DX(X), DB(B), DY(Rows * Columns);
  for (bool Biased : {false, true})
    for (int A = HK_IDENTITY; A <= HK_SILU; ++A) {
      started(hk_bias_activation(&Exact, Rows, Columns, hk_activation(A), matrix(DX, HK_F32),
                                 {Biased ? DB.data() : nullptr, HK_F32}, matrix(DY, HK_F32)));
      const auto Is = DY.host();
      for (int N = 0; N < Rows * Columns; ++N)
        near(Is[N], activationOf(A, X[N] + (Biased ? B[N % Columns] : 0)), 1e-4, "bias_activation");
    }
}

static void quantizeAndBack() {
  const auto X = values(Rows * Columns, 14);
  Device<float> DX(X), DY(Rows * Columns);
  for (int Group : {32, 64, 128, Columns}) {
    const bool PerRow = Group == Columns;
    const int Groups = (Columns + Group - 1) / Group;
    Device<float> Scales(Rows * Groups);
    Device<uint8_t> DQ(Rows * Columns);
    const hk_output Q{matrix(DQ, hk_native_fp8()), PerRow ? HK_SCALE_ROWS : HK_SCALE_GROUPS, Group,
                      Scales.data(), Groups};
    started(hk_quantize(&Exact, Rows, Columns, matrix(DX, HK_F32), &Q));
    started(hk_dequantize(&Exact, Rows, Columns, matrix(DQ, hk_native_fp8()), Scales.data(), Groups,
                          Group, matrix(DY, HK_F32)));
    const auto Is = DY.host(), Each = Scales.host();
    const auto Bytes = DQ.host();
    for (int N = 0; N < Rows * Columns; ++N) {
      const float Scale = Each[N / Columns * Groups + N % Columns / Group];
      check(std::fabs(Is[N] - X[N]) <= std::fabs(X[N]) / 16 * 1.001 + Scale / 1024, "quantize");
      check(Is[N] == fromE4M3FNUZ(Bytes[N]) * Scale, "dequantize");
    }
  }
}

static void rotary() {
  constexpr int Tokens = 3, Heads = 2, Half = 33, Width = 2 * Half;
  const auto X = values(Tokens * Heads * Width, 15);
  std::vector<float> Cosine, Sine;
  for (int N = 0; N < Tokens * Half; ++N)
    Cosine.push_back(float(std::cos(0.1 * N))), Sine.push_back(float(std::sin(0.1 * N)));
  Device<float> DX(X), DC(Cosine), DS(Sine), DY(Tokens * Heads * Width);
  for (int Interleaved : {0, 1}) {
    started(hk_rotary(&Exact, Tokens, Heads, Half, Interleaved, HK_F32, DX.data(), Heads * Width,
                      Width, {DC.data(), HK_F32}, {DS.data(), HK_F32}, Half, DY.data(),
                      Heads * Width, Width));
    const auto Is = DY.host();
    for (int T = 0; T < Tokens; ++T)
      for (int H = 0; H < Heads; ++H)
        for (int P = 0; P < Half; ++P) {
          const int Start = (T * Heads + H) * Width, A = Start + (Interleaved ? 2 * P : P),
                    B = Start + (Interleaved ? 2 * P + 1 : P + Half);
          const double C = Cosine[T * Half + P], S = Sine[T * Half + P];
          near(Is[A], X[A] * C - X[B] * S, 1e-4, "rotary");
          near(Is[B], X[B] * C + X[A] * S, 1e-4, "rotary");
        }
  }
}

int main() {
  check(!std::strcmp(hk_built_for(), "gfx942"), "hk_built_for");
  check(hk_native_fp8() == HK_E4M3FNUZ, "hk_native_fp8");
  rmsNorm();
  residualRmsNorm(false);
  residualRmsNorm(true);
  layerNorm();
  softmax();
  gated();
  biasActivation();
  quantizeAndBack();
  rotary();
  return finish();
}
