// Each kind of wrong argument: its error and what the message says; nothing is started.
// RUN: %hip-sim-build %s %hk-kernels -o %t
// RUN: hk-sim --json=%t.json %t | FileCheck %s
// RUN: FileCheck --check-prefix=NONE %s < %t.json
// CHECK: all passed
// NONE: "kernels": []
#include "Inputs/device.h"

#include <climits>
#include <functional>
#include <string>
#include <thread>

constexpr int64_t Rows = 4, Columns = 256;
constexpr float E = 1e-5f;
constexpr int64_t Huge = INT64_MAX;

/// All arguments of all functions, right unless a test changes one.
struct Call {
  hk_launch Launch{nullptr, nullptr, HK_EXACT};
  int64_t R = Rows, C = Columns;
  hk_matrix X, Residual, Mask, Y, Q;
  hk_vector Weight, Bias;
  hk_output Out;
  float Number = E;
  int Activation = HK_SILU;
  float *Scale;
  int64_t ScalePitch = 2, Group = 128;
  int64_t Tokens = 4, Heads = 2, Half = 32, TokenStride = 128, HeadStride = 64, AnglePitch = 32,
          OutTokenStride = 128, OutHeadStride = 64;
  int Interleaved = 0, Type = HK_BF16;
  hk_vector Cosine, Sine;
  const hk_launch *PassedLaunch = &Launch;
  const hk_output *PassedOut = &Out;

  explicit Call(void *Memory, float *Floats) : Scale(Floats) {
    X = Residual = Mask = Y = {Memory, HK_BF16, Columns};
    Q = {Memory, HK_I8, Columns};
    Weight = Bias = Cosine = Sine = {Memory, HK_BF16};
    Out = {Y, HK_SCALE_NONE, 0, nullptr, 0};
  }
  void scaled(int Scaling) { Out = {{Y.data, HK_I8, Columns}, Scaling, 128, Scale, 2}; }
};

static int rmsNorm(Call &C) {
  return hk_rms_norm(C.PassedLaunch, C.R, C.C, C.X, C.Weight, C.Number, C.PassedOut);
}
static int residual(Call &C) {
  return hk_residual_rms_norm(C.PassedLaunch, C.R, C.C, C.X, C.Residual, C.Weight, C.Number,
                              C.PassedOut);
}
static int layerNorm(Call &C) {
  return hk_layer_norm(C.PassedLaunch, C.R, C.C, C.X, C.Weight, C.Bias, C.Number, C.PassedOut);
}
static int softmax(Call &C) {
  return hk_softmax(C.PassedLaunch, C.R, C.C, C.X, C.Number, C.Mask, C.Y);
}
static int gated(Call &C) {
  return hk_gated(C.PassedLaunch, C.R, C.C, hk_activation(C.Activation), C.X, C.Residual,
                  C.PassedOut);
}
static int bias(Call &C) {
  return hk_bias_activation(C.PassedLaunch, C.R, C.C, hk_activation(C.Activation), C.X, C.Bias,
                            C.Y);
}
static int quantize(Call &C) { return hk_quantize(C.PassedLaunch, C.R, C.C, C.X, C.PassedOut); }
static int dequantize(Call &C) {
  return hk_dequantize(C.PassedLaunch, C.R, C.C, C.Q, C.Scale, C.ScalePitch, C.Group, C.Y);
}
static int rotary(Call &C) {
  return hk_rotary(C.PassedLaunch, C.Tokens, C.Heads, C.Half, C.Interleaved, C.Type, C.X.data,
                   C.TokenStride, C.HeadStride, C.Cosine, C.Sine, C.AnglePitch, C.Y.data,
                   C.OutTokenStride, C.OutHeadStride);
}

static void *Memory;
static float *Floats;

using Function = int (*)(Call &);
static void refused(Function F, int Error, const std::string &Message,
                    const std::function<void(Call &)> &Change) {
  Call C(Memory, Floats);
  if (F == quantize)
    C.scaled(HK_SCALE_ROWS);
  Change(C);
  const int Is = F(C);
  if (Is == Error && Message == hk_last_message())
    return;
  std::printf("FAILED: %d \"%s\", not %d \"%s\"\n", Is, hk_last_message(), Error, Message.c_str());
  ++Failures;
}

static void *odd(void *Pointer) { return static_cast<char *>(Pointer) + 1; }

int main() {
  Device<uint8_t> All(Rows * Columns * 8);
  Device<float> Scales(64);
  Memory = All.data(), Floats = Scales.data();
  constexpr int Invalid = hipErrorInvalidValue, Unsupported = hipErrorNotSupported;

  for (Function F : {rmsNorm, residual, layerNorm, softmax, gated, bias, quantize, dequantize}) {
    refused(F, Invalid, "launch: null", [](Call &C) { C.PassedLaunch = nullptr; });
    refused(F, Invalid, "launch.policy: 2 is none of 0 to 1", [](Call &C) { C.Launch.policy = 2; });
    refused(F, Invalid, "launch.workspace: not aligned to 128 bytes",
            [](Call &C) { C.Launch.workspace = odd(Memory); });
    refused(F, Invalid, "rows: -1 is negative", [](Call &C) { C.R = -1; });
    refused(F, Invalid, "columns: -5 is negative", [](Call &C) { C.C = -5; });
    const char *X = F == dequantize ? "q" : F == gated ? "gate" : "x";
    auto of = [](Function F, Call &C) -> hk_matrix & { return F == dequantize ? C.Q : C.X; };
    refused(F, Invalid, std::string(X) + ".data: null", [&](Call &C) { of(F, C).data = nullptr; });
    refused(F, Invalid, std::string(X) + ".pitch: 255 is less than the 256 columns",
            [&](Call &C) { of(F, C).pitch = 255; });
    refused(F, Invalid, std::string(X) + ".type: 10 is no hk_type",
            [&](Call &C) { of(F, C).type = 10; });
    refused(F, Invalid, std::string(X) + ".type: -1 is no hk_type",
            [&](Call &C) { of(F, C).type = -1; });
    refused(F, Unsupported, std::string(X) + ".type: not built for I32 here",
            [&](Call &C) { of(F, C).type = HK_I32; });
    if (F == bias || F == dequantize) {
      refused(F, Invalid, "rows: 9223372036854775807 of 256 columns are more than 2^60 elements",
              [](Call &C) { C.R = Huge; });
      refused(F, Invalid, std::string(X) + ".pitch: 9223372036854775807 goes beyond 2^60 elements",
              [&](Call &C) { of(F, C).pitch = Huge; });
    } else {
      refused(F, Unsupported, "rows: 2147483648 is more than 2^31 - 1",
              [](Call &C) { C.R = int64_t(1) << 31; });
      refused(F, Unsupported, "columns: 536870912 is more than 2^29 - 1",
              [](Call &C) { C.C = 1 << 29; });
      refused(F, Unsupported, std::string(X) + ".pitch: 9223372036854775807 is more than 2^31 - 1",
              [&](Call &C) { of(F, C).pitch = Huge; });
    }
    if (F != dequantize)
      refused(F, Invalid, std::string(X) + ".data: not aligned to its elements of 2 bytes",
              [](Call &C) { C.X.data = odd(Memory); });
  }

  for (Function F : {rmsNorm, residual}) {
    refused(F, Invalid, "weight.data: null", [](Call &C) { C.Weight.data = nullptr; });
    refused(F, Unsupported, "weight.type: not built for F16 here",
            [](Call &C) { C.Weight.type = HK_F16; });
    refused(F, Invalid, "weight.data: not aligned to its elements of 4 bytes",
            [](Call &C) { C.Weight = {static_cast<char *>(Memory) + 2, HK_F32}; });
  }
  for (Function F : {rmsNorm, residual, layerNorm}) {
    refused(F, Invalid, "epsilon: -1 is negative", [](Call &C) { C.Number = -1; });
    refused(F, Invalid, "epsilon: not a finite number", [](Call &C) { C.Number = NAN; });
  }
  refused(residual, Unsupported, "residual.type: not built for F32 here",
          [](Call &C) { C.Residual.type = HK_F32; });
  refused(residual, Invalid, "residual.data: null", [](Call &C) { C.Residual.data = nullptr; });
  refused(layerNorm, Invalid, "bias: weight and bias are given both or none",
          [](Call &C) { C.Bias.data = nullptr; });
  refused(layerNorm, Unsupported, "bias.type: built for the type of weight only",
          [](Call &C) { C.Bias.type = HK_F32; });
  refused(softmax, Invalid, "scale: not a finite number", [](Call &C) { C.Number = INFINITY; });
  refused(softmax, Invalid, "mask.pitch: 1 is less than the 256 columns",
          [](Call &C) { C.Mask.pitch = 1; });
  refused(softmax, Unsupported, "mask.type: not built for F16 here",
          [](Call &C) { C.Mask.type = HK_F16; });
  refused(softmax, Unsupported, "y.type: not built for I8 here", [](Call &C) { C.Y.type = HK_I8; });
  refused(gated, Unsupported, "up.type: not built for F16 here",
          [](Call &C) { C.Residual.type = HK_F16; });
  for (Function F : {gated, bias}) {
    refused(F, Invalid, "activation: 5 is none of 0 to 4", [](Call &C) { C.Activation = 5; });
    refused(F, Invalid, "activation: -1 is none of 0 to 4", [](Call &C) { C.Activation = -1; });
  }
  refused(bias, Unsupported, "y.type: not built for F32 here", [](Call &C) { C.Y.type = HK_F32; });

  for (Function F : {rmsNorm, residual, layerNorm, gated, quantize}) {
    refused(F, Invalid, "y: null", [](Call &C) { C.PassedOut = nullptr; });
    refused(F, Invalid, "y.scaling: 4 is none of 0 to 3", [](Call &C) { C.Out.scaling = 4; });
    refused(F, Invalid, "y.values.pitch: 1 is less than the 256 columns",
            [](Call &C) { C.Out.values.pitch = 1; });
    refused(F, Unsupported, "y.values.type: not built for E4M3 here", [](Call &C) {
      C.scaled(HK_SCALE_ROWS);
      C.Out.values.type = HK_E4M3;
    });
    for (int Scaling : {HK_SCALE_TENSOR, HK_SCALE_ROWS, HK_SCALE_GROUPS})
      refused(F, Invalid, "y.scale: null", [&](Call &C) {
        C.scaled(Scaling);
        C.Out.scale = nullptr;
      });
    refused(F, Invalid, "y.group: 48 is none of 32, 64 and 128", [](Call &C) {
      C.scaled(HK_SCALE_GROUPS);
      C.Out.group = 48;
    });
    if (F != quantize) {
      refused(F, Unsupported, "y.group: built for 128 only here", [](Call &C) {
        C.scaled(HK_SCALE_GROUPS);
        C.Out.group = 64;
      });
      refused(F, Invalid, "y.scaling: values of type BF16 take no scale", [](Call &C) {
        C.scaled(HK_SCALE_TENSOR);
        C.Out.values.type = HK_BF16;
      });
    }
    refused(F, Invalid, "y.scale_pitch: 1 is less than the 2 groups of a row", [](Call &C) {
      C.scaled(HK_SCALE_GROUPS);
      C.Out.scale_pitch = 1;
    });
  }
  refused(dequantize, Invalid, "group: 0 is less than 1", [](Call &C) { C.Group = 0; });
  refused(dequantize, Invalid, "scale: null", [](Call &C) { C.Scale = nullptr; });
  refused(dequantize, Invalid, "scale_pitch: 1 is less than the 2 groups of a row",
          [](Call &C) { C.ScalePitch = 1; });
  refused(dequantize, Invalid, "scale_pitch: 9223372036854775807 goes beyond 2^60 elements",
          [](Call &C) { C.ScalePitch = Huge; });

  refused(rotary, Invalid, "launch: null", [](Call &C) { C.PassedLaunch = nullptr; });
  refused(rotary, Invalid, "tokens: -1 is negative", [](Call &C) { C.Tokens = -1; });
  refused(rotary, Invalid, "heads: -1 is negative", [](Call &C) { C.Heads = -1; });
  refused(rotary, Invalid, "half: -1 is negative", [](Call &C) { C.Half = -1; });
  refused(rotary, Invalid, "tokens: more than 2^60 elements in all",
          [](Call &C) { C.Tokens = C.Heads = Huge; });
  refused(rotary, Invalid, "interleaved: 2 is none of 0 to 1", [](Call &C) { C.Interleaved = 2; });
  refused(rotary, Unsupported, "type: not built for I8 here", [](Call &C) { C.Type = HK_I8; });
  refused(rotary, Invalid, "x: null", [](Call &C) { C.X.data = nullptr; });
  refused(rotary, Invalid, "y: null", [](Call &C) { C.Y.data = nullptr; });
  refused(rotary, Invalid, "token_stride: -128 is negative", [](Call &C) { C.TokenStride = -128; });
  refused(rotary, Invalid, "head_stride: 9223372036854775807 goes beyond 2^60 elements",
          [](Call &C) { C.HeadStride = Huge, C.Heads = 3; });
  refused(rotary, Invalid, "cosine.data: null", [](Call &C) { C.Cosine.data = nullptr; });
  refused(rotary, Unsupported, "sine.type: built for the type of cosine only",
          [](Call &C) { C.Sine.type = HK_F32; });
  refused(rotary, Invalid, "angle_pitch: 31 is less than the 32 pairs of a head",
          [](Call &C) { C.AnglePitch = 31; });
  refused(rotary, Invalid, "out_head_stride: 63 is less than the 64 elements of one step",
          [](Call &C) { C.OutHeadStride = 63; });
  refused(rotary, Invalid, "out_token_stride: 127 is less than the 128 elements of one step",
          [](Call &C) { C.OutTokenStride = 127; });

  check(hk_prepare_workspace(nullptr, nullptr) == Invalid &&
            !std::strcmp(hk_last_message(), "workspace: null"),
        "hk_prepare_workspace");
  // Each thread has a message of its own.
  std::thread([] { check(!*hk_last_message(), "the message of another thread"); }).join();

  // Nothing to do: right, without any memory.
  for (Function F : {rmsNorm, residual, layerNorm, softmax, gated, bias, quantize, dequantize}) {
    Call C(nullptr, nullptr);
    if (F == quantize)
      C.scaled(HK_SCALE_ROWS);
    C.R = 0;
    check(F(C) == 0, "no rows");
    C.R = Rows, C.C = 0;
    check(F(C) == 0, "no columns");
  }
  return finish();
}
