//===- Graph.cpp - Graphs: their nodes, instances and execution -----------===//
//
// An executable graph is a clone of the graph, whose nodes know the originals, so that an update by
// node finds its copy. Launching walks the clone in an order that respects the dependencies.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hk::hip;

struct hipUserObject {
  void *Data;
  hipHostFn_t Destroy;
  unsigned References;
};

static DenseSet<const ihipGraph *> &graphs() {
  static auto *Graphs = new DenseSet<const ihipGraph *>;
  return *Graphs;
}
static std::set<hipGraphExec *> &instances() {
  static auto *Instances = new std::set<hipGraphExec *>;
  return *Instances;
}

bool hk::hip::isGraph(hipGraph_t Graph) { return graphs().contains(Graph); }
void hk::hip::registerGraph(ihipGraph *Graph) { graphs().insert(Graph); }
void hk::hip::forgetGraph(ihipGraph *Graph) { graphs().erase(Graph); }

hipGraphNode::~hipGraphNode() {
  if (auto *Child = std::get_if<ChildOp>(&Op)) {
    forgetGraph(Child->Graph);
    delete Child->Graph;
  }
}

hipGraphNode_t hk::hip::addNode(ihipGraph &Graph, Operation Op,
                                ArrayRef<hipGraphNode_t> Dependencies) {
  auto Node = std::make_unique<hipGraphNode>();
  Node->Op = std::move(Op);
  Node->Graph = &Graph;
  Node->Dependencies.assign(Dependencies.begin(), Dependencies.end());
  Graph.Nodes.push_back(std::move(Node));
  return Graph.Nodes.back().get();
}

hipGraphNodeType hk::hip::typeOf(const hipGraphNode &Node) {
  struct {
    hipGraphNodeType operator()(const EmptyOp &) { return hipGraphNodeTypeEmpty; }
    hipGraphNodeType operator()(const KernelOp &) { return hipGraphNodeTypeKernel; }
    hipGraphNodeType operator()(const CopyOp &Op) { return Op.Type; }
    hipGraphNodeType operator()(const FillOp &) { return hipGraphNodeTypeMemset; }
    hipGraphNodeType operator()(const HostOp &) { return hipGraphNodeTypeHost; }
    hipGraphNodeType operator()(const EventOp &Op) {
      return Op.Wait ? hipGraphNodeTypeWaitEvent : hipGraphNodeTypeEventRecord;
    }
    hipGraphNodeType operator()(const ChildOp &) { return hipGraphNodeTypeGraph; }
    hipGraphNodeType operator()(const AllocOp &) { return hipGraphNodeTypeMemAlloc; }
    hipGraphNodeType operator()(const FreeOp &) { return hipGraphNodeTypeMemFree; }
  } Type;
  return std::visit(Type, Node.Op);
}

std::unique_ptr<ihipGraph> hk::hip::cloneGraph(const ihipGraph &Graph) {
  auto Clone = std::make_unique<ihipGraph>();
  Clone->Original = const_cast<ihipGraph *>(&Graph);
  DenseMap<const hipGraphNode *, hipGraphNode *> Copies;
  for (auto &Node : Graph.Nodes) {
    hipGraphNode *Copy = addNode(*Clone, Node->Op, {});
    if (auto *Child = std::get_if<ChildOp>(&Copy->Op)) {
      Child->Graph = cloneGraph(*Child->Graph).release();
      registerGraph(Child->Graph);
    }
    Copy->Original = Node.get();
    Copy->Enabled = Node->Enabled;
    Copies[Node.get()] = Copy;
  }
  for (auto &Node : Graph.Nodes)
    for (hipGraphNode *D : Node->Dependencies)
      Copies[Node.get()]->Dependencies.push_back(Copies.lookup(D));
  return Clone;
}

std::vector<hipGraphNode *> hk::hip::inOrder(const ihipGraph &Graph) {
  std::vector<hipGraphNode *> Order;
  DenseSet<const hipGraphNode *> Done;
  while (Order.size() != Graph.Nodes.size()) {
    size_t Before = Order.size();
    for (auto &Node : Graph.Nodes)
      if (!Done.contains(Node.get()) &&
          all_of(Node->Dependencies, [&](hipGraphNode *D) { return Done.contains(D); })) {
        Done.insert(Node.get());
        Order.push_back(Node.get());
      }
    if (Order.size() == Before)
      return {};
  }
  return Order;
}

hipError_t hk::hip::executeGraph(hipGraph_t Graph) {
  for (hipGraphNode *Node : inOrder(*Graph))
    if (Node->Enabled)
      if (hipError_t E = execute(Node->Op))
        return E;
  return hipSuccess;
}

hipError_t hk::hip::execute(Operation &Op) {
  struct {
    hipError_t operator()(EmptyOp &) { return hipSuccess; }
    hipError_t operator()(KernelOp &Op) { return executeKernel(Op); }
    hipError_t operator()(CopyOp &Op) { return executeCopy(Op); }
    hipError_t operator()(FillOp &Op) { return executeFill(Op); }
    hipError_t operator()(HostOp &Op) {
      if (Op.Callback)
        Op.Callback(Op.Stream, Runtime::get().fault(), Op.Data);
      else
        Op.Function(Op.Data);
      return hipSuccess;
    }
    hipError_t operator()(EventOp &Op) {
      if (!isEvent(Op.Event))
        return hipErrorInvalidResourceHandle;
      if (!Op.Wait)
        stamp(*Op.Event);
      return hipSuccess;
    }
    hipError_t operator()(ChildOp &Op) { return executeGraph(Op.Graph); }
    // The memory is there from the creation of the node to the destruction of the graph.
    hipError_t operator()(AllocOp &) { return hipSuccess; }
    hipError_t operator()(FreeOp &) { return hipSuccess; }
  } Execute;
  return std::visit(Execute, Op);
}

static hipError_t instantiate(hipGraphExec_t *Result, hipGraph_t Graph, unsigned long long Flags,
                              hipGraphNode_t *ErrorNode) {
  if (ErrorNode)
    *ErrorNode = nullptr;
  if (!Result || !isGraph(Graph))
    return hipErrorInvalidValue;
  if (!Graph->Nodes.empty() && inOrder(*Graph).empty())
    return hipErrorInvalidValue;
  auto *Exec = new hipGraphExec;
  Exec->Graph = cloneGraph(*Graph);
  Exec->Flags = Flags;
  instances().insert(Exec);
  *Result = Exec;
  return hipSuccess;
}

/// Writes what fits, and tells how many there are: all these queries work that way.
template <typename List>
static hipError_t listNodes(const List &Nodes, hipGraphNode_t *Out, size_t *Count) {
  if (!Count)
    return hipErrorInvalidValue;
  if (!Out) {
    *Count = Nodes.size();
    return hipSuccess;
  }
  for (size_t I = 0; I != *Count; ++I)
    Out[I] = I < Nodes.size() ? Nodes[I] : nullptr;
  *Count = std::min<size_t>(*Count, Nodes.size());
  return hipSuccess;
}

static std::vector<hipGraphNode_t> allNodes(const ihipGraph &Graph, bool RootsOnly) {
  std::vector<hipGraphNode_t> Nodes;
  for (auto &Node : Graph.Nodes)
    if (!RootsOnly || Node->Dependencies.empty())
      Nodes.push_back(Node.get());
  return Nodes;
}

static bool isNodeOf(const ihipGraph &Graph, hipGraphNode_t Node) {
  return any_of(Graph.Nodes, [&](const auto &N) { return N.get() == Node; });
}

/// All that an update may take over; the kernel's function may change as well here.
static hipGraphExecUpdateResult updateNodes(ihipGraph &To, const ihipGraph &From,
                                            hipGraphNode_t &Culprit) {
  Culprit = nullptr;
  if (To.Nodes.size() != From.Nodes.size())
    return hipGraphExecUpdateErrorTopologyChanged;
  DenseMap<const hipGraphNode *, size_t> IndexTo, IndexFrom;
  for (size_t I = 0; I != To.Nodes.size(); ++I) {
    IndexTo[To.Nodes[I].get()] = I;
    IndexFrom[From.Nodes[I].get()] = I;
  }
  for (size_t I = 0; I != To.Nodes.size(); ++I) {
    hipGraphNode &A = *To.Nodes[I], &B = *From.Nodes[I];
    Culprit = &B;
    if (typeOf(A) != typeOf(B))
      return hipGraphExecUpdateErrorNodeTypeChanged;
    if (A.Dependencies.size() != B.Dependencies.size())
      return hipGraphExecUpdateErrorTopologyChanged;
    for (auto [DA, DB] : zip(A.Dependencies, B.Dependencies))
      if (IndexTo.lookup(DA) != IndexFrom.lookup(DB))
        return hipGraphExecUpdateErrorTopologyChanged;
    if (auto *Child = std::get_if<ChildOp>(&A.Op))
      if (auto R = updateNodes(*Child->Graph, *std::get<ChildOp>(B.Op).Graph, Culprit))
        return R;
  }
  Culprit = nullptr;
  for (size_t I = 0; I != To.Nodes.size(); ++I)
    if (!std::holds_alternative<ChildOp>(To.Nodes[I]->Op))
      To.Nodes[I]->Op = From.Nodes[I]->Op;
  for (size_t I = 0; I != To.Nodes.size(); ++I)
    To.Nodes[I]->Original = From.Nodes[I].get();
  return hipGraphExecUpdateSuccess;
}

static void releaseObject(hipUserObject_t Object, unsigned Count) {
  Object->References -= std::min(Count, Object->References);
  if (Object->References)
    return;
  Object->Destroy(Object->Data);
  delete Object;
}

extern "C" {

hipError_t hipGraphCreate(hipGraph_t *Graph, unsigned Flags) {
  ApiLock Lock;
  if (!Graph || Flags)
    return done(hipErrorInvalidValue);
  *Graph = new ihipGraph;
  registerGraph(*Graph);
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t Graph) {
  ApiLock Lock;
  if (!isGraph(Graph))
    return done(hipErrorInvalidValue);
  forgetGraph(Graph);
  for (hipUserObject_t Object : Graph->UserObjects)
    releaseObject(Object, 1);
  delete Graph;
  return hipSuccess;
}

hipError_t hipGraphClone(hipGraph_t *Clone, hipGraph_t Graph) {
  ApiLock Lock;
  if (!Clone || !isGraph(Graph))
    return done(hipErrorInvalidValue);
  *Clone = cloneGraph(*Graph).release();
  registerGraph(*Clone);
  return hipSuccess;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *Result, hipGraphNode_t Original,
                                   hipGraph_t Clone) {
  ApiLock Lock;
  if (!Result || !Original || !isGraph(Clone))
    return done(hipErrorInvalidValue);
  for (auto &Node : Clone->Nodes)
    if (Node->Original == Original) {
      *Result = Node.get();
      return hipSuccess;
    }
  return done(hipErrorInvalidValue);
}

hipError_t hipGraphAddDependencies(hipGraph_t Graph, const hipGraphNode_t *From,
                                   const hipGraphNode_t *To, size_t Count) {
  ApiLock Lock;
  if (!isGraph(Graph) || (Count && (!From || !To)))
    return done(hipErrorInvalidValue);
  for (size_t I = 0; I != Count; ++I)
    if (!isNodeOf(*Graph, From[I]) || !isNodeOf(*Graph, To[I]) || From[I] == To[I] ||
        is_contained(To[I]->Dependencies, From[I]))
      return done(hipErrorInvalidValue);
  for (size_t I = 0; I != Count; ++I)
    To[I]->Dependencies.push_back(From[I]);
  return hipSuccess;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t Graph, const hipGraphNode_t *From,
                                      const hipGraphNode_t *To, size_t Count) {
  ApiLock Lock;
  if (!isGraph(Graph) || (Count && (!From || !To)))
    return done(hipErrorInvalidValue);
  for (size_t I = 0; I != Count; ++I) {
    if (!isNodeOf(*Graph, To[I]) || !is_contained(To[I]->Dependencies, From[I]))
      return done(hipErrorInvalidValue);
    erase(To[I]->Dependencies, From[I]);
  }
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t Graph, hipGraphNode_t *Nodes, size_t *Count) {
  ApiLock Lock;
  if (!isGraph(Graph))
    return done(hipErrorInvalidValue);
  return done(listNodes(allNodes(*Graph, false), Nodes, Count));
}

hipError_t hipGraphGetRootNodes(hipGraph_t Graph, hipGraphNode_t *Nodes, size_t *Count) {
  ApiLock Lock;
  if (!isGraph(Graph))
    return done(hipErrorInvalidValue);
  return done(listNodes(allNodes(*Graph, true), Nodes, Count));
}

hipError_t hipGraphGetEdges(hipGraph_t Graph, hipGraphNode_t *From, hipGraphNode_t *To,
                            size_t *Count) {
  ApiLock Lock;
  if (!isGraph(Graph) || !Count || !From != !To)
    return done(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> Sources, Targets;
  for (auto &Node : Graph->Nodes)
    for (hipGraphNode *D : Node->Dependencies) {
      Sources.push_back(D);
      Targets.push_back(Node.get());
    }
  size_t Given = *Count;
  if (hipError_t E = listNodes(Sources, From, Count))
    return done(E);
  return done(listNodes(Targets, To, From ? &Given : Count));
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t Node, hipGraphNode_t *Nodes, size_t *Count) {
  ApiLock Lock;
  if (!Node)
    return done(hipErrorInvalidValue);
  return done(listNodes(Node->Dependencies, Nodes, Count));
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t Node, hipGraphNode_t *Nodes,
                                         size_t *Count) {
  ApiLock Lock;
  if (!Node)
    return done(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> Dependents;
  for (auto &Other : Node->Graph->Nodes)
    if (is_contained(Other->Dependencies, Node))
      Dependents.push_back(Other.get());
  return done(listNodes(Dependents, Nodes, Count));
}

hipError_t hipGraphNodeGetType(hipGraphNode_t Node, hipGraphNodeType *Type) {
  ApiLock Lock;
  if (!Node || !Type)
    return done(hipErrorInvalidValue);
  *Type = typeOf(*Node);
  return hipSuccess;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t Node) {
  ApiLock Lock;
  if (!Node)
    return done(hipErrorInvalidValue);
  ihipGraph &Graph = *Node->Graph;
  for (auto &Other : Graph.Nodes)
    erase(Other->Dependencies, Node);
  erase_if(Graph.Nodes, [&](const auto &N) { return N.get() == Node; });
  return hipSuccess;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *Exec, hipGraph_t Graph, hipGraphNode_t *ErrorNode,
                               char *Log, size_t LogSize) {
  ApiLock Lock;
  if (Log && LogSize)
    *Log = 0;
  return done(instantiate(Exec, Graph, 0, ErrorNode));
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *Exec, hipGraph_t Graph,
                                        unsigned long long Flags) {
  ApiLock Lock;
  return done(instantiate(Exec, Graph, Flags, nullptr));
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *Exec, hipGraph_t Graph,
                                         hipGraphInstantiateParams *Params) {
  ApiLock Lock;
  if (!Params)
    return done(hipErrorInvalidValue);
  hipError_t E = instantiate(Exec, Graph, Params->flags, &Params->errNode_out);
  Params->result_out =
      E == hipSuccess ? hipGraphInstantiateSuccess : hipGraphInstantiateInvalidStructure;
  return done(E);
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t Exec, unsigned long long *Flags) {
  ApiLock Lock;
  if (!instances().count(Exec) || !Flags)
    return done(hipErrorInvalidValue);
  *Flags = Exec->Flags;
  return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t Exec) {
  ApiLock Lock;
  if (!instances().erase(Exec))
    return done(hipErrorInvalidValue);
  delete Exec;
  return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t Exec, hipStream_t Handle) {
  ApiLock Lock;
  if (!instances().count(Exec))
    return done(hipErrorInvalidValue);
  ihipStream_t *Stream = streamOf(Handle);
  if (!Stream)
    return done(hipErrorInvalidResourceHandle);
  if (Stream->Capture) {
    ChildOp Op{cloneGraph(*Exec->Graph).release()};
    registerGraph(Op.Graph);
    return done(submit(Handle, Op));
  }
  return done(executeGraph(Exec->Graph.get()));
}
hipError_t hipGraphLaunch_spt(hipGraphExec_t Exec, hipStream_t Stream) {
  return hipGraphLaunch(Exec, Stream ? Stream : hipStreamPerThread);
}

hipError_t hipGraphUpload(hipGraphExec_t Exec, hipStream_t) {
  ApiLock Lock;
  return done(instances().count(Exec) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphExecUpdate(hipGraphExec_t Exec, hipGraph_t Graph, hipGraphNode_t *ErrorNode,
                              hipGraphExecUpdateResult *Result) {
  ApiLock Lock;
  if (!instances().count(Exec) || !isGraph(Graph) || !ErrorNode || !Result)
    return done(hipErrorInvalidValue);
  *Result = updateNodes(*Exec->Graph, *Graph, *ErrorNode);
  return done(*Result == hipGraphExecUpdateSuccess ? hipSuccess : hipErrorGraphExecUpdateFailure);
}

hipError_t hipUserObjectCreate(hipUserObject_t *Object, void *Data, hipHostFn_t Destroy,
                               unsigned References, unsigned Flags) {
  ApiLock Lock;
  if (!Object || !Destroy || !References || Flags != hipUserObjectNoDestructorSync)
    return done(hipErrorInvalidValue);
  *Object = new hipUserObject{Data, Destroy, References};
  return hipSuccess;
}
hipError_t hipUserObjectRelease(hipUserObject_t Object, unsigned Count) {
  ApiLock Lock;
  if (!Object || !Count)
    return done(hipErrorInvalidValue);
  releaseObject(Object, Count);
  return hipSuccess;
}
hipError_t hipUserObjectRetain(hipUserObject_t Object, unsigned Count) {
  ApiLock Lock;
  if (!Object || !Count)
    return done(hipErrorInvalidValue);
  Object->References += Count;
  return hipSuccess;
}
hipError_t hipGraphRetainUserObject(hipGraph_t Graph, hipUserObject_t Object, unsigned Count,
                                    unsigned Flags) {
  ApiLock Lock;
  if (!isGraph(Graph) || !Object || !Count || Flags > hipGraphUserObjectMove)
    return done(hipErrorInvalidValue);
  if (Flags != hipGraphUserObjectMove)
    Object->References += Count;
  Graph->UserObjects.insert(Graph->UserObjects.end(), Count, Object);
  return hipSuccess;
}
hipError_t hipGraphReleaseUserObject(hipGraph_t Graph, hipUserObject_t Object, unsigned Count) {
  ApiLock Lock;
  if (!isGraph(Graph) || !Object || !Count)
    return done(hipErrorInvalidValue);
  for (; Count; --Count) {
    auto It = find(Graph->UserObjects, Object);
    if (It == Graph->UserObjects.end())
      return done(hipErrorInvalidValue);
    Graph->UserObjects.erase(It);
    releaseObject(Object, 1);
  }
  return hipSuccess;
}

} // extern "C"
