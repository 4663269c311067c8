//===- Streams.h - Streams, events and graphs -----------------------------===//

#pragma once

#include "Operation.h"

#include <set>

struct ihipStream_t {
  unsigned Flags = 0;
  int Priority = 0;
  std::vector<uint32_t> CuMask;

  // Under capture: the graph, and the nodes that the next one depends on.
  hipGraph_t Capture = nullptr;
  std::vector<hipGraphNode_t> Last;
  bool Origin = false;     ///< hipStreamBeginCapture named this one
  bool OwnsCapture = true; ///< false: the program's own graph
  hipStreamCaptureStatus Status = hipStreamCaptureStatusNone;
  unsigned long long CaptureId = 0;
};

struct ihipEvent_t {
  unsigned Flags = 0;
  bool Recorded = false;
  double Seconds = 0;
  // Recorded in a stream under capture: what a wait for it depends on.
  hipGraph_t Capture = nullptr;
  std::vector<hipGraphNode_t> Nodes;
  unsigned long long CaptureId = 0;
};

struct hipGraphNode {
  hk::hip::Operation Op;
  ihipGraph *Graph = nullptr;
  std::vector<hipGraphNode *> Dependencies;
  bool Enabled = true;
  hipGraphNode *Original = nullptr; ///< of a clone
  ~hipGraphNode();
};

struct ihipGraph {
  std::vector<std::unique_ptr<hipGraphNode>> Nodes; ///< in order of creation
  std::vector<hipUserObject_t> UserObjects;
  ihipGraph *Original = nullptr;
};

struct hipGraphExec {
  std::unique_ptr<ihipGraph> Graph; ///< a clone
  unsigned long long Flags = 0;
};

namespace hk::hip {

/// The object behind a handle; null for one that does not exist. The null handle, hipStreamLegacy
/// and hipStreamPerThread have one of their own.
ihipStream_t *streamOf(hipStream_t Handle);
bool isEvent(hipEvent_t Event);
bool isGraph(hipGraph_t Graph);
/// Stamps the event with the device's time.
void stamp(ihipEvent_t &Event);

/// Adds a node that depends on \p Dependencies.
hipGraphNode_t addNode(ihipGraph &Graph, Operation Op, llvm::ArrayRef<hipGraphNode_t> Dependencies);
hipGraphNodeType typeOf(const hipGraphNode &Node);
std::unique_ptr<ihipGraph> cloneGraph(const ihipGraph &Graph);
/// In an order that respects the dependencies, else that of creation; empty if they form a circle.
std::vector<hipGraphNode *> inOrder(const ihipGraph &Graph);
/// What captures in progress still name must not dangle.
void registerGraph(ihipGraph *Graph);
void forgetGraph(ihipGraph *Graph);

} // namespace hk::hip
