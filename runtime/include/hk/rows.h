//===- hk/rows.h - Row reductions with a prologue and an epilogue ---------===//
//
//   hk::rows<Keep, Reduction>(launch, {rows, columns}, prologue, inputs, epilogue, extras, outputs, plan)
//
// For each row of a matrix: value = prologue(inputs...) of each element, one reduction over the row's values, then
// epilogue(value, row state, extras...) of each element to one or several outputs. The row is read once and kept.
//
//   Keep       the type in which values are kept between the two passes, and to which they are rounded before they are
//              reduced: float, f16, bf16, ... KeepInputs keeps the inputs instead and calls the prologue twice: for
//              values that are wider than what they come from.
//   Reduction  see hk/reduce.h. The functor may have `prepare(result, columns)`, called once per row; what it returns
//              is the epilogue's row state. Without it, the result itself is.
//   prologue   float operator()(in...) const, or with an At (row and column) as first parameter.
//   inputs     hk::tuple of operands (hk/operands.h). Values are float; for integer elements int32_t.
//   epilogue   operator()(float value, const State &, extra...) const, or with an At first; one float, or an hk::tuple of
//              as many as there are outputs.
//   extras     operands that the epilogue reads: weights are read once per workgroup.
//   outputs    hk::tuple of outputs.
//   plan       null, or a schedule to use instead of planRows()'s
//
// Any number of columns below 2^29, of rows below 2^31, any pitch and alignment. If all operands are aligned to 16 bytes (or to one
// vector, if that is less), pitches too, and vectors divide the columns, accesses need no check; otherwise the same kernel is
// used in a form that checks (`General`).
//
// Errors: hipErrorInvalidValue for sizes or pitches out of range or a plan that does not cover the row;
// hipErrorNotSupported for a device without a schedule; errors of the launch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/launch.h"
#include "hk/operands.h"
#include "hk/reduce.h"
#include "hk/split.h"
#include "hk/sync.h"
#include "hk/tuning.h"

#include "hk/detail/compact_rows.h"
#include "hk/detail/row_launch.h"

namespace hk {

struct RowShape {
  int64_t rows;
  int64_t columns;
};

template <class Keep, class Reduction, class Prologue, class Inputs, class Epilogue, class Extras, class Outputs>
hipError_t rows(const Launch &launch, RowShape shape, const Prologue &prologue, const Inputs &inputs,
                const Epilogue &epilogue, const Extras &extras, const Outputs &outputs,
                const RowPlan *chosen = nullptr) {
  using Program = detail::RowProgram<Keep, Reduction, Prologue, Inputs, Epilogue, Extras, Outputs>;
  if (shape.rows < 0 || shape.columns < 0 || shape.rows > 0x7fffffff || shape.columns >= 1 << 29)
    return hipErrorInvalidValue;
  if (shape.rows == 0 || shape.columns == 0)
    return hipSuccess;
  const Program program{prologue, inputs, epilogue, extras, outputs};
  constexpr int N = Program::VectorLength;
  if (!detail::allOperands(program, [](const auto &one) { return detail::hasPitches(one); }))
    return hipErrorInvalidValue;

  Target target;
  if (hipError_t error = currentTarget(target); error != hipSuccess)
    return error;
  const bool general = shape.columns % N != 0 ||
                       !detail::allOperands(program, [](const auto &one) { return detail::isAligned<N>(one); });
  if constexpr (detail::CompactRows<Program>) {
    return chosen ? hipErrorNotSupported
                  : detail::launchCompact(launch, target, program, shape.rows, int(shape.columns), general);
  } else {
    const bool canSplit = Program::Splits && (HK_NVIDIA || launch.workspace.data);
    constexpr int KeptBytes = int(sizeof(detail::Kept<Program, N>));
    const RowPlan plan = chosen ? *chosen
                                : planRows(target, {shape.rows, int(shape.columns), N, KeptBytes, general, canSplit,
                                                    Program::GroupVectors, Program::RowWords});
    return detail::launchRows(launch, target, program, shape.rows, int(shape.columns), general, plan);
  }
}

} // namespace hk
