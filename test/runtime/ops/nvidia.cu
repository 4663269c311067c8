// Every operator compiles for HIP's NVIDIA platform, for the oldest and the newest of its targets.
// REQUIRES: nvcc
// RUN: %nvcc -I%runtime-include --expt-relaxed-constexpr -arch=sm_90 -x cu -c %S/Inputs/operators.h -o %t.90
// RUN: %nvcc -I%runtime-include --expt-relaxed-constexpr -arch=sm_80 -x cu -c %S/Inputs/operators.h -o %t.80
