// The operators compile for the NVIDIA platform without a warning.
// REQUIRES: nvcc
// RUN: %nvcc -I%runtime-include --expt-relaxed-constexpr -arch=sm_90 -x cu -c %S/Inputs/operators.h -o %t
