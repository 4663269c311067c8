#pragma once
#include <cstddef>
#if defined(__HIP__)
#include <cstdint>
#endif
#ifdef __HIP__
#  include <cstdlib>
#endif
#define SIZE 4
#include <cmath> /* a comment
that goes on */ // and on
#include \
  <cfloat>
template <class T> __device__ T conditional() { return SIZE; }
#include <cstring>
