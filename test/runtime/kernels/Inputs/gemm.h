// Operands of hk_gemm of any type, on the device and as numbers.
#pragma once

#include "device.h"

inline uint8_t toE4M3FNUZ(float Value) { // a value that it holds
  for (int Byte = 0; Byte < 256; ++Byte)
    if (Byte != 0x80 && fromE4M3FNUZ(uint8_t(Byte)) == Value)
      return uint8_t(Byte);
  std::printf("FAILED: %g is no E4M3FNUZ\n", double(Value));
  std::exit(1);
}
inline uint16_t toF16(float Value) {
  const _Float16 Half = _Float16(Value);
  uint16_t Bits;
  std::memcpy(&Bits, &Half, 2);
  return Bits;
}
inline float fromF16(uint16_t Bits) {
  _Float16 Half;
  std::memcpy(&Half, &Bits, 2);
  return float(Half);
}

inline int bytesOf(int Type) {
  return Type == HK_F32 || Type == HK_I32 ? 4 : Type == HK_F16 || Type == HK_BF16 ? 2 : 1;
}

inline double fromBits(int Type, const uint8_t *From) {
  uint16_t Word;
  int32_t Int;
  float Float;
  switch (Type) {
  case HK_F32:
    std::memcpy(&Float, From, 4);
    return Float;
  case HK_I32:
    std::memcpy(&Int, From, 4);
    return Int;
  case HK_F16:
  case HK_BF16:
    std::memcpy(&Word, From, 2);
    return Type == HK_F16 ? fromF16(Word) : fromBF16(Word);
  case HK_I8:
    return int8_t(*From);
  }
  return fromE4M3FNUZ(*From);
}

inline void toBits(int Type, float Value, uint8_t *To) {
  const int32_t Int = int32_t(Value);
  const uint16_t Word = Type == HK_F16 ? toF16(Value) : toBF16(Value);
  switch (Type) {
  case HK_F32:
    std::memcpy(To, &Value, 4);
    return;
  case HK_I32:
    std::memcpy(To, &Int, 4);
    return;
  case HK_F16:
  case HK_BF16:
    std::memcpy(To, &Word, 2);
    return;
  case HK_I8:
    *To = uint8_t(int8_t(Int));
    return;
  }
  *To = toE4M3FNUZ(Value);
}

/// Elements of a type: uninitialized, or values that all types hold: multiples of 1/4 below 2, of 1 for integers.
class Elements {
public:
  Elements(int Type, size_t Count) : Type(Type), Count(Count), Bytes(Count * size_t(bytesOf(Type)) + 16) {}
  Elements(int Type, size_t Count, int Seed) : Elements(Type, Count) {
    std::vector<uint8_t> Host(Count * size_t(bytesOf(Type)) + 16);
    for (size_t N = 0; N < Count; ++N) {
      const int Number = int((N * 37 + N / 11 * 5 + size_t(Seed) * 101) % 15) - 7;
      toBits(Type, Type == HK_I8 || Type == HK_I32 ? float(Number * 9) : float(Number) / 4,
             &Host[N * size_t(bytesOf(Type))]);
    }
    must(hipMemcpy(Bytes.data(), Host.data(), Host.size(), hipMemcpyHostToDevice));
  }
  void *data() const { return Bytes.data(); }
  std::vector<double> host() const {
    const auto All = Bytes.host();
    std::vector<double> Values;
    for (size_t N = 0; N < Count; ++N)
      Values.push_back(fromBits(Type, &All[N * size_t(bytesOf(Type))]));
    return Values;
  }

private:
  int Type;
  size_t Count;
  Device<uint8_t> Bytes;
};

class Factor {
public:
  Factor(int Type, int Layout, int64_t Batches, int64_t Rows, int64_t Columns, int64_t Gap, int Seed)
      : Type(Type), Layout(Layout), Ld((Layout == HK_ROW_MAJOR ? Columns : Rows) + Gap),
        Stride(Batches > 1 ? Ld * (Layout == HK_ROW_MAJOR ? Rows : Columns) : 0),
        All(Type, size_t(Ld * (Layout == HK_ROW_MAJOR ? Rows : Columns) * Batches), Seed), Host(All.host()) {}
  hk_factor get() const { return {All.data(), Type, Layout, Ld, Stride}; }
  double at(int64_t Batch, int64_t Row, int64_t Column) const {
    return Host[size_t(Batch * Stride + (Layout == HK_ROW_MAJOR ? Row * Ld + Column : Column * Ld + Row))];
  }

private:
  int Type, Layout;
  int64_t Ld, Stride;
  Elements All;
  std::vector<double> Host;
};

inline double activationOf(int Activation, double X) {
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

/// Whether \p Is is what a value within \p Error of \p Should is rounded to, saturating for 8-bit types.
inline bool isRounded(int Type, double Is, double Should, double Error) {
  const double Largest = Type == HK_I8 ? 127 : 240;
  if (bytesOf(Type) == 1 && std::fabs(Should) > Largest)
    return std::fabs(Is) >= Largest - Error - (Type == HK_I8 ? 0.5 : 8);
  const double Size = std::fabs(Should) + Error;
  switch (Type) {
  case HK_F32:
    return std::fabs(Is - Should) <= Error;
  case HK_F16:
    return std::fabs(Is - Should) <= Error + Size * 0x1p-11;
  case HK_BF16:
    return std::fabs(Is - Should) <= Error + Size * 0x1p-8;
  case HK_I8:
    return std::fabs(Is - Should) <= Error + 0.5;
  case HK_I32:
    return Is == Should;
  }
  return std::fabs(Is - Should) <= Error + Size / 16 + 0x1p-11;
}
