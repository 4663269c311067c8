//===- direct.h - The library's interface on templates of the test's own --===//
//
// The library has few kernels for most operators (see runtime/kernels). A test that defines its functions on the templates
// reaches those of every schedule, for the types it names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "library.h"

#include "hk/operands.h"
#include "hk/launch.h"

inline size_t hk_workspace_bytes() { return hk::Workspace::Bytes; }
inline int hk_prepare_workspace(void *workspace, void *stream) {
  return hk::prepareWorkspace({workspace}, static_cast<hipStream_t>(stream));
}
inline const char *hk_last_message() { return ""; }

namespace test {

inline hk::Launch launchOf(const hk_launch *launch) {
  return {static_cast<hipStream_t>(launch->stream), {launch->workspace}};
}
template <class T> hk::Matrix<T> as(const hk_matrix &m) { return {static_cast<T *>(m.data), m.pitch}; }
template <class T> hk::RowVector<T> as(const hk_vector &v) { return {static_cast<const T *>(v.data)}; }
template <class T> hk::QuantizedRows<T> asRows(const hk_output &y) {
  return {static_cast<T *>(y.values.data), y.values.pitch, y.scale};
}
template <class T, int Group> hk::QuantizedGroups<T, Group> asGroups(const hk_output &y) {
  return {static_cast<T *>(y.values.data), y.values.pitch, y.scale, y.scale_pitch};
}

} // namespace test
