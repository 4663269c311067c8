// Division and square root of the device are correctly rounded: compiled by clang for both sides, they agree to the
// bit on random numbers, special ones, and numbers whose exponents bring the quotient to either end of the range.
//
// RUN: %hip-sim-build -fno-fast-math -ffp-contract=off %s -o %t
// RUN: hk-sim --waits --strict %t | FileCheck %s
// CHECK: 400000 numbers, 0 wrong
// REQUIRES: sim
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

template <class T> __global__ void compute(const T *A, const T *B, T *Quotient, T *Root, T *Inverse, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  Quotient[I] = A[I] / B[I];
  Root[I] = std::sqrt(A[I]);
  Inverse[I] = T(1) / B[I];
}

static uint64_t State = 1;
static uint64_t draw() {
  State ^= State << 13;
  State ^= State >> 7;
  return State ^= State << 17;
}

template <class T, class U> static T number(unsigned ExponentBits, unsigned N) {
  unsigned Mantissa = 8 * sizeof(T) - 1 - ExponentBits;
  U Bits = U(draw()), Field = ((U(1) << ExponentBits) - 1) << Mantissa, Low = (U(1) << Mantissa) - 1;
  switch (N % 8) {
  case 0: // a mantissa of few bits, or nearly all ones
    Bits = (Bits & ~Low) | (draw() % 2 ? Low - draw() % 4 : U(draw() % 4));
    break;
  case 1: // denormal, or nearly
    Bits &= ~Field;
    Bits |= U(draw() % 3) << Mantissa;
    break;
  case 2: // near the other end
    Bits = (Bits | Field) - (U(1 + draw() % 3) << Mantissa);
    break;
  case 3: // zeros, infinities, NaN
    Bits = (Bits & ~(Field | Low)) | (draw() % 2 ? Field : 0) | U(draw() % 8 == 0);
    break;
  case 4: // around one
    Bits = (Bits & ~Field) | (((Field >> Mantissa >> 1) + U(draw() % 5) - 2) << Mantissa);
    break;
  }
  T X;
  std::memcpy(&X, &Bits, sizeof(X));
  return X;
}

template <class T> static bool same(T X, T Y) {
  return !std::memcmp(&X, &Y, sizeof(T)) || (std::isnan(X) && std::isnan(Y));
}

template <class T, class U> static int check(unsigned ExponentBits) {
  const int N = 200000;
  std::vector<T> A(N), B(N), Out[3];
  for (int I = 0; I != N; ++I) {
    A[I] = number<T, U>(ExponentBits, I);
    B[I] = number<T, U>(ExponentBits, I / 8);
  }
  T *Device[5];
  for (T *&P : Device)
    if (hipMalloc(&P, N * sizeof(T)) != hipSuccess)
      return N;
  (void)hipMemcpy(Device[0], A.data(), N * sizeof(T), hipMemcpyHostToDevice);
  (void)hipMemcpy(Device[1], B.data(), N * sizeof(T), hipMemcpyHostToDevice);
  compute<T><<<(N + 255) / 256, 256>>>(Device[0], Device[1], Device[2], Device[3], Device[4], N);
  int Wrong = 0;
  for (int K = 0; K != 3; ++K) {
    Out[K].resize(N);
    if (hipMemcpy(Out[K].data(), Device[2 + K], N * sizeof(T), hipMemcpyDeviceToHost) != hipSuccess)
      return N;
  }
  for (int I = 0; I != N; ++I) {
    bool Ok = same(Out[0][I], A[I] / B[I]) && same(Out[1][I], std::sqrt(A[I])) && same(Out[2][I], T(1) / B[I]);
    if (!Ok && ++Wrong < 5)
      std::printf("%a / %a = %a, root %a, inverse %a\n", double(A[I]), double(B[I]), double(Out[0][I]), double(Out[1][I]),
                  double(Out[2][I]));
  }
  return Wrong;
}

int main() {
  int Wrong = check<float, uint32_t>(8) + check<double, uint64_t>(11);
  std::printf("400000 numbers, %d wrong\n", Wrong);
  return Wrong != 0;
}
