// Graphs: captured from streams that fork and join, built by hand, instantiated, updated, cloned.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

__global__ void add(int *Data, int Value) { Data[threadIdx.x] += Value; }
__global__ void multiply(int *Data, int Value) { Data[threadIdx.x] *= Value; }
__global__ void sum(int *Out, const int *A, const int *B) {
  Out[threadIdx.x] = A[threadIdx.x] + B[threadIdx.x];
}

static int *A, *B, *C;

static void testCapture() {
  hipStream_t Main, Side;
  OK(hipStreamCreate(&Main));
  OK(hipStreamCreate(&Side));
  hipEvent_t Fork, Join;
  OK(hipEventCreate(&Fork));
  OK(hipEventCreate(&Join));
  int Host[64] = {};

  OK(hipStreamBeginCapture(Main, hipStreamCaptureModeGlobal));
  hipStreamCaptureStatus Status;
  OK(hipStreamIsCapturing(Main, &Status));
  EXPECT(Status == hipStreamCaptureStatusActive);
  OK(hipMemsetAsync(A, 0, 256, Main));
  OK(hipEventRecord(Fork, Main));
  OK(hipStreamWaitEvent(Side, Fork, 0));
  add<<<1, 64, 0, Main>>>(A, 3);
  OK(hipMemsetAsync(B, 0, 256, Side));
  add<<<1, 64, 0, Side>>>(B, 5);
  OK(hipEventRecord(Join, Side));
  OK(hipStreamWaitEvent(Main, Join, 0));
  sum<<<1, 64, 0, Main>>>(C, A, B);
  OK(hipMemcpyAsync(Host, C, 256, hipMemcpyDeviceToHost, Main));
  hipGraph_t Graph;
  OK(hipStreamEndCapture(Main, &Graph));
  OK(hipStreamIsCapturing(Side, &Status));
  EXPECT(Status == hipStreamCaptureStatusNone);
  EXPECT(Host[0] == 0); // nothing ran yet
  size_t Nodes = 0, Edges = 0, Roots = 0;
  OK(hipGraphGetNodes(Graph, nullptr, &Nodes));
  OK(hipGraphGetEdges(Graph, nullptr, nullptr, &Edges));
  OK(hipGraphGetRootNodes(Graph, nullptr, &Roots));
  EXPECT(Nodes == 6 && Edges == 6 && Roots == 1);

  hipGraphExec_t Exec;
  OK(hipGraphInstantiate(&Exec, Graph, nullptr, nullptr, 0));
  OK(hipGraphDestroy(Graph));
  for (int I = 0; I != 3; ++I) {
    memset(Host, 0, sizeof Host);
    OK(hipGraphLaunch(Exec, Main));
    OK(hipStreamSynchronize(Main));
    EXPECT(Host[0] == 8 && Host[63] == 8);
  }
  OK(hipGraphExecDestroy(Exec));

  // Work that was forked and not joined, and waiting for a captured stream.
  OK(hipStreamBeginCapture(Main, hipStreamCaptureModeRelaxed));
  OK(hipEventRecord(Fork, Main));
  OK(hipStreamWaitEvent(Side, Fork, 0));
  add<<<1, 64, 0, Side>>>(B, 5);
  FAILS(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(Main, &Graph));
  OK(hipStreamBeginCapture(Main, hipStreamCaptureModeRelaxed));
  FAILS(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(Main));
  FAILS(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(Main, &Graph));
  FAILS(hipErrorStreamCaptureUnsupported,
        hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  OK(hipStreamDestroy(Main));
  OK(hipStreamDestroy(Side));
}

static void testNodes() {
  hipGraph_t Graph;
  OK(hipGraphCreate(&Graph, 0));
  int Host[64], Value = 10, Factor = 2;
  hipMemsetParams Clear = {};
  Clear.dst = A;
  Clear.elementSize = 4;
  Clear.value = 1;
  Clear.width = 64;
  Clear.height = 1;
  hipGraphNode_t Fill, Add, Multiply, Copy, Call;
  OK(hipGraphAddMemsetNode(&Fill, Graph, nullptr, 0, &Clear));
  void *AddArguments[] = {&A, &Value}, *MultiplyArguments[] = {&A, &Factor};
  hipKernelNodeParams Kernel = {};
  Kernel.func = reinterpret_cast<void *>(multiply);
  Kernel.gridDim = dim3(1);
  Kernel.blockDim = dim3(64);
  Kernel.kernelParams = MultiplyArguments;
  // Added out of order: the edges decide.
  OK(hipGraphAddKernelNode(&Multiply, Graph, nullptr, 0, &Kernel));
  Kernel.func = reinterpret_cast<void *>(add);
  Kernel.kernelParams = AddArguments;
  OK(hipGraphAddKernelNode(&Add, Graph, &Fill, 1, &Kernel));
  OK(hipGraphAddDependencies(Graph, &Add, &Multiply, 1));
  OK(hipGraphAddMemcpyNode1D(&Copy, Graph, &Multiply, 1, Host, A, 256, hipMemcpyDeviceToHost));
  static int Calls = 0;
  hipHostNodeParams Function = {[](void *) { ++Calls; }, nullptr};
  OK(hipGraphAddHostNode(&Call, Graph, &Copy, 1, &Function));
  hipGraphNodeType Type;
  OK(hipGraphNodeGetType(Copy, &Type));
  EXPECT(Type == hipGraphNodeTypeMemcpy);

  hipGraphExec_t Exec;
  OK(hipGraphInstantiateWithFlags(&Exec, Graph, 0));
  OK(hipGraphLaunch(Exec, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(Host[0] == 22 && Host[63] == 22 && Calls == 1);

  // The instance, not the graph.
  Value = 100;
  OK(hipGraphExecKernelNodeSetParams(Exec, Add, &Kernel));
  OK(hipGraphLaunch(Exec, nullptr));
  EXPECT(Host[0] == 202 && Calls == 2);
  OK(hipGraphNodeSetEnabled(Exec, Multiply, 0));
  OK(hipGraphLaunch(Exec, nullptr));
  EXPECT(Host[0] == 101);
  hipKernelNodeParams Read;
  OK(hipGraphKernelNodeGetParams(Add, &Read));
  EXPECT(Read.func == Kernel.func && *static_cast<int *>(Read.kernelParams[1]) == 10);

  // All of it, by update.
  Value = 1000;
  OK(hipGraphKernelNodeSetParams(Add, &Kernel));
  hipGraphNode_t Culprit;
  hipGraphExecUpdateResult Result;
  OK(hipGraphExecUpdate(Exec, Graph, &Culprit, &Result));
  EXPECT(Result == hipGraphExecUpdateSuccess);
  OK(hipGraphNodeSetEnabled(Exec, Multiply, 1));
  OK(hipGraphLaunch(Exec, nullptr));
  EXPECT(Host[0] == 2002);
  hipGraphNode_t Empty;
  hipGraph_t Other;
  OK(hipGraphClone(&Other, Graph));
  hipGraphNode_t Found;
  OK(hipGraphNodeFindInClone(&Found, Add, Other));
  OK(hipGraphAddEmptyNode(&Empty, Other, &Found, 1));
  FAILS(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(Exec, Other, &Culprit, &Result));
  EXPECT(Result == hipGraphExecUpdateErrorTopologyChanged);

  // A child graph, and a circle.
  hipGraph_t Parent;
  OK(hipGraphCreate(&Parent, 0));
  hipGraphNode_t Child, After;
  OK(hipGraphAddChildGraphNode(&Child, Parent, nullptr, 0, Graph));
  Factor = 5;
  Kernel.func = reinterpret_cast<void *>(multiply);
  Kernel.kernelParams = MultiplyArguments;
  OK(hipGraphAddKernelNode(&After, Parent, &Child, 1, &Kernel));
  hipGraphExec_t ParentExec;
  OK(hipGraphInstantiate(&ParentExec, Parent, nullptr, nullptr, 0));
  OK(hipGraphLaunch(ParentExec, nullptr));
  EXPECT(Host[0] == 2002 && fromDevice(A, 1)[0] == 10010);
  OK(hipGraphAddDependencies(Parent, &After, &Child, 1));
  FAILS(hipErrorInvalidValue, hipGraphInstantiate(&ParentExec, Parent, nullptr, nullptr, 0));
  OK(hipGraphDestroy(Parent));
  OK(hipGraphDestroy(Graph));
  OK(hipGraphExecDestroy(Exec));
}

int main() {
  OK(hipMalloc(&A, 256));
  OK(hipMalloc(&B, 256));
  OK(hipMalloc(&C, 256));
  testCapture();
  testNodes();
  return finish();
}
