// One decode step of an MLP in fp8, with the core kernels from the headers:
//
//   residual += x;  normed = fp8(RMSNorm(residual) / s1)      hk::residualRmsNorm
//   gate_up = normed @ W1^T, scaled to f16                    hk::linear
//   hidden = fp8(SiLU(gate) * up / s2)                        hk::gated
//   y = hidden @ W2^T, scaled, + residual                     hk::linear
//
//   decode_mlp [tokens hidden intermediate]        4 256 512 if nothing is said; any sizes
//
// The step is run from a stream, and then captured in a graph that is replayed. Each operator is checked against
// f64, computed on the host from what the operator read: its result may be off by half a step of its type, for
// rounding, and by what f32 arithmetic in between may make of it: (k + 8) 2^-24 of the magnitudes that a product
// adds up, 2^-18 of the others' results. Replays have to have the bits of the first run.

#include "hk/gemm.h"
#include "hk/ops/activation.h"
#include "hk/ops/gemm.h"
#include "hk/ops/norm.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#if HK_NVIDIA && !defined(HIP_VERSION)
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipFree cudaFree
#define hipGetErrorString cudaGetErrorString
#define hipGraphDestroy cudaGraphDestroy
#define hipGraphExecDestroy cudaGraphExecDestroy
#define hipGraphExec_t cudaGraphExec_t
#define hipGraphInstantiate(exec, graph, node, log, size) cudaGraphInstantiate(exec, graph, 0)
#define hipGraphLaunch cudaGraphLaunch
#define hipGraph_t cudaGraph_t
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamCaptureModeGlobal cudaStreamCaptureModeGlobal
#define hipStreamCreate cudaStreamCreate
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamEndCapture cudaStreamEndCapture
#define hipStreamSynchronize cudaStreamSynchronize
#endif

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const hipError_t status = (call);                                                              \
    if (status != hipSuccess) {                                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status));          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

using hk::bf16;
using hk::f16;

// gfx942 has instructions for the FNUZ kind of fp8, gfx950 and NVIDIA (sm_89 and up) for the OCP kind;
// -DFP8=hk::e4m3 makes the program for gfx950. Others multiply either kind after converting it.
#ifndef FP8
#if HK_NVIDIA
#define FP8 hk::e4m3
#else
#define FP8 hk::e4m3fnuz
#endif
#endif
using Fp8 = FP8;

template <class T> constexpr int kBias = 0;
template <> constexpr int kBias<f16> = 15;
template <> constexpr int kBias<hk::e4m3> = 7;
template <> constexpr int kBias<hk::e4m3fnuz> = 8;
template <class T> constexpr int kMantissa = sizeof(T) == 1 ? 3 : 10;

// A finite number from its bits.
template <class T> static double to_double(T value) {
  constexpr int kSign = 8 * int(sizeof(T)) - 1;
  const int bits = value.bits, magnitude = bits & ((1 << kSign) - 1);
  const int exponent = magnitude >> kMantissa<T>, fraction = magnitude & ((1 << kMantissa<T>)-1);
  const double m = std::ldexp(double(fraction) + (exponent ? 1 << kMantissa<T> : 0),
                              (exponent ? exponent : 1) - kBias<T> - kMantissa<T>);
  return bits >> kSign ? -m : m;
}

// Half a step of T at a number of this size.
template <class T> static double half_step(double size) {
  int exponent;
  std::frexp(std::fabs(size), &exponent);
  const int smallest = 1 - kBias<T>;
  return std::ldexp(0.5, (exponent - 1 < smallest ? smallest : exponent - 1) - kMantissa<T>);
}

// The largest error as a part of what is allowed.
struct Errors {
  const char *name;
  double worst = 0;
  // An 8-bit type's largest finite value is what larger ones become.
  template <class T> void add(double is, double value, double error) {
    const double largest = sizeof(T) == 1 ? (kBias<T> == 8 ? 240 : 448) : 65504;
    if (std::fabs(value) > largest)
      value = value < 0 ? -largest : largest;
    const double allowed = half_step<T>(std::fabs(value) + error) + error;
    const double part = std::fabs(is - value) / allowed;
    worst = part <= worst ? worst : part; // NaN, too
  }
  bool report() const {
    std::printf("%-12s largest error %.2f of what is allowed%s\n", name, worst, worst <= 1 ? "" : ": WRONG");
    return worst <= 1;
  }
};

// The same on every host: uniform in [-1, 1).
static double random_number(uint64_t &state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return double(int64_t(state) >> 11) * 0x1p-52;
}

template <class T> class Buffer {
public:
  explicit Buffer(size_t count) : host(count) {
    CHECK(hipMalloc(reinterpret_cast<void **>(&device), count * sizeof(T)));
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { CHECK(hipFree(device)); }
  void upload() { CHECK(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice)); }
  void download() { CHECK(hipMemcpy(host.data(), device, host.size() * sizeof(T), hipMemcpyDeviceToHost)); }

  std::vector<T> host;
  T *device = nullptr;
};

static f16 half_of(double value) { // rounded towards zero
  int exponent;
  const double fraction = std::frexp(std::fabs(value), &exponent); // in [0.5, 1)
  const int biased = exponent - 1 + kBias<f16>;
  if (biased < 1)
    return {0};
  const int bits = biased << 10 | (int(fraction * 2048) & 1023);
  return {uint16_t(bits | (value < 0 ? 0x8000 : 0))};
}

class Step {
public:
  Step(int tokens, int hidden, int intermediate)
      : tokens(tokens), hidden(hidden), intermediate(intermediate), x(size_t(tokens) * hidden),
        residual(x.host.size()), before(x.host), weight(hidden), normed(x.host.size()),
        gate_up(size_t(tokens) * 2 * intermediate), activated(size_t(tokens) * intermediate), y(x.host.size()),
        w1(size_t(2) * intermediate * hidden), w2(size_t(hidden) * intermediate), scale1(1), scale2(1),
        rows1(tokens), rows2(tokens), columns1(2 * intermediate), columns2(hidden) {
    uint64_t state = 1;
    for (f16 &v : x.host)
      v = half_of(random_number(state));
    for (f16 &v : before)
      v = half_of(2 * random_number(state));
    for (f16 &v : weight.host)
      v = half_of(1 + random_number(state) / 4);
    // Weights of 8 bits, below 1: all exponents as often.
    for (Buffer<Fp8> *w : {&w1, &w2})
      for (Fp8 &v : w->host) {
        const int magnitude = int(std::fabs(random_number(state)) * 8 * kBias<Fp8>);
        v.bits = uint8_t(magnitude && random_number(state) < 0 ? magnitude | 0x80 : magnitude);
      }
    // What is stored is values / scale, so that products are multiplied by it again: by both factors' scales.
    scale1.host[0] = 1.0f / 32, scale2.host[0] = 1.0f / 16;
    for (float &v : rows1.host)
      v = scale1.host[0];
    for (float &v : rows2.host)
      v = scale2.host[0];
    for (size_t n = 0; n < columns1.host.size(); ++n)
      columns1.host[n] = float(1 + n % 3) / std::sqrt(float(hidden));
    for (size_t n = 0; n < columns2.host.size(); ++n)
      columns2.host[n] = float(1 + n % 5) / std::sqrt(float(intermediate));
    x.upload(), weight.upload(), w1.upload(), w2.upload(), scale1.upload(), scale2.upload();
    rows1.upload(), rows2.upload(), columns1.upload(), columns2.upload();
    prepare_workspace();
  }
  ~Step() {
    if (workspace.data)
      CHECK(hipFree(workspace.data));
  }

  // The step adds to the residual: a run begins with the one before.
  void reset() {
    residual.host = before;
    residual.upload();
  }

  void start(hipStream_t stream) {
    const hk::Launch launch{stream};
    CHECK(hk::residualRmsNorm(launch, {tokens, hidden}, hk::Matrix<const f16>{x.device, hidden},
                              hk::Matrix<f16>{residual.device, hidden}, hk::RowVector<f16>{weight.device}, kEpsilon,
                              hk::Matrix<Fp8>{normed.device, hidden}, hk::Scalar<float>{scale1.device}));
    hk::LinearOptions<f16> options;
    options.rowScale = {rows1.device}, options.columnScale = {columns1.device};
    // No kernel of the step writes weights: they may be read while the kernel before ends.
    options.gemm = {nullptr, workspace, true};
    CHECK(hk::linear(launch, {tokens, 2 * intermediate, hidden}, hk::rowMajor(normed.device, hidden),
                     hk::columnMajor(w1.device, hidden), options, hk::Matrix<f16>{gate_up.device, 2 * intermediate}));
    CHECK(hk::gated<hk::Silu>(launch, {tokens, intermediate},
                              hk::Matrix<const f16>{gate_up.device, 2 * intermediate},
                              hk::Matrix<const f16>{gate_up.device + intermediate, 2 * intermediate},
                              hk::Matrix<Fp8>{activated.device, intermediate}, hk::Scalar<float>{scale2.device}));
    options.rowScale = {rows2.device}, options.columnScale = {columns2.device};
    options.residual = {residual.device, hidden};
    CHECK(hk::linear(launch, {tokens, hidden, intermediate}, hk::rowMajor(activated.device, intermediate),
                     hk::columnMajor(w2.device, intermediate), options, hk::Matrix<f16>{y.device, hidden}));
  }

  // All results of a run, for comparisons of bits.
  std::vector<uint8_t> results() {
    residual.download(), normed.download(), gate_up.download(), activated.download(), y.download();
    std::vector<uint8_t> all;
    append(all, residual.host), append(all, normed.host), append(all, gate_up.host), append(all, activated.host),
        append(all, y.host);
    return all;
  }

  // After results(): each operator's results from what it read.
  bool check() const {
    Errors norm{"norm"}, up{"gate and up"}, silu{"SwiGLU"}, down{"down"};
    for (int t = 0; t < tokens; ++t) {
      double squares = 0;
      for (int c = 0; c < hidden; ++c) {
        const size_t at = size_t(t) * hidden + c;
        norm.add<f16>(to_double(residual.host[at]), to_double(x.host[at]) + to_double(before[at]), 0x1p-18);
        squares += std::pow(to_double(residual.host[at]), 2);
      }
      const double inverse = 1 / std::sqrt(squares / hidden + kEpsilon);
      for (int c = 0; c < hidden; ++c) {
        const size_t at = size_t(t) * hidden + c;
        const double value = to_double(residual.host[at]) * inverse * to_double(weight.host[c]) / scale1.host[0];
        norm.add<Fp8>(to_double(normed.host[at]), value, std::fabs(value) * 0x1p-18);
      }
      for (int c = 0; c < 2 * intermediate; ++c) {
        double size;
        const double factor = double(rows1.host[t]) * columns1.host[c];
        const double value = factor * product(normed.host, w1.host, t, c, hidden, size);
        up.add<f16>(to_double(gate_up.host[size_t(t) * 2 * intermediate + c]), value,
                    factor * size * (hidden + 8) * 0x1p-24);
      }
      for (int c = 0; c < intermediate; ++c) {
        const f16 *row = &gate_up.host[size_t(t) * 2 * intermediate];
        const double gate = to_double(row[c]);
        const double value = gate / (1 + std::exp(-gate)) * to_double(row[intermediate + c]) / scale2.host[0];
        silu.add<Fp8>(to_double(activated.host[size_t(t) * intermediate + c]), value, std::fabs(value) * 0x1p-18);
      }
      for (int c = 0; c < hidden; ++c) {
        double size;
        const double factor = double(rows2.host[t]) * columns2.host[c];
        const double old = to_double(residual.host[size_t(t) * hidden + c]);
        const double value = factor * product(activated.host, w2.host, t, c, intermediate, size) + old;
        down.add<f16>(to_double(y.host[size_t(t) * hidden + c]), value,
                      (factor * size + std::fabs(old)) * (intermediate + 8) * 0x1p-24);
      }
    }
    // All are told, wrong or not.
    return int(norm.report()) + up.report() + silu.report() + down.report() == 4;
  }

private:
  static constexpr float kEpsilon = 1e-5f;

  static double product(const std::vector<Fp8> &a, const std::vector<Fp8> &b, int row, int column, int k,
                        double &size) {
    double sum = 0;
    size = 0;
    for (int n = 0; n < k; ++n) {
      const double one = to_double(a[size_t(row) * k + n]) * to_double(b[size_t(column) * k + n]);
      sum += one, size += std::fabs(one);
    }
    return sum;
  }

  template <class T> static void append(std::vector<uint8_t> &to, const std::vector<T> &from) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(from.data());
    to.insert(to.end(), bytes, bytes + from.size() * sizeof(T));
  }

  // One workspace does for both products, since one follows the other. With it, products are split in a captured
  // stream, too.
  void prepare_workspace() {
    size_t first = 0, second = 0;
    CHECK(hk::gemmWorkspaceBytes<Fp8>({tokens, 2 * intermediate, hidden}, first));
    CHECK(hk::gemmWorkspaceBytes<Fp8>({tokens, hidden, intermediate}, second));
    workspace.bytes = first > second ? first : second;
    if (!workspace.bytes)
      return;
    CHECK(hipMalloc(&workspace.data, workspace.bytes));
    CHECK(hk::prepareGemmWorkspace(workspace, nullptr));
  }

  int tokens, hidden, intermediate;
  Buffer<f16> x, residual;
  std::vector<f16> before;
  Buffer<f16> weight;
  Buffer<Fp8> normed;
  Buffer<f16> gate_up;
  Buffer<Fp8> activated;
  Buffer<f16> y;
  Buffer<Fp8> w1, w2;
  Buffer<float> scale1, scale2, rows1, rows2, columns1, columns2;
  hk::GemmWorkspace workspace;
};

static bool run(int tokens, int hidden, int intermediate) {
  Step step(tokens, hidden, intermediate);
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipDeviceSynchronize()); // uploads are in the default stream
  step.reset();
  step.start(stream);
  CHECK(hipStreamSynchronize(stream));
  const std::vector<uint8_t> first = step.results();
  bool good = step.check();

  hipGraph_t graph;
  hipGraphExec_t exec;
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  step.start(stream);
  CHECK(hipStreamEndCapture(stream, &graph));
  CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int replay = 0; replay < 3; ++replay) {
    step.reset();
    CHECK(hipGraphLaunch(exec, stream));
    CHECK(hipStreamSynchronize(stream));
    const bool same = step.results() == first;
    std::printf("replay %d     %s\n", replay, same ? "the same bits" : "other bits: WRONG");
    good = good && same;
  }
  CHECK(hipGraphExecDestroy(exec));
  CHECK(hipGraphDestroy(graph));
  CHECK(hipStreamDestroy(stream));
  return good;
}

int main(int count, char **arguments) {
  int sizes[] = {4, 256, 512};
  for (int n = 1; n < count && n <= 3; ++n)
    sizes[n - 1] = std::atoi(arguments[n]);
  if ((count != 1 && count != 4) || sizes[0] < 1 || sizes[1] < 1 || sizes[2] < 1) {
    std::fprintf(stderr, "usage: %s [tokens hidden intermediate]\n", arguments[0]);
    return 2;
  }
  const bool good = run(sizes[0], sizes[1], sizes[2]);
  std::printf("%s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
