// malloc, free, new and delete in kernels; memory outlives the kernel that allocated it.
// RUN: %hip-sim-build %s -o %t
// RUN: hk-sim %t | FileCheck %s
// CHECK: all passed
#include "Inputs/check.h"

struct Node {
  Node *Next;
  int Value;
};

__global__ void build(Node **Lists, int Length) {
  Node *Head = nullptr;
  for (int I = 0; I < Length; ++I) {
    Node *N = static_cast<Node *>(malloc(sizeof(Node)));
    N->Next = Head;
    N->Value = threadIdx.x + I;
    Head = N;
  }
  Lists[threadIdx.x] = Head;
}

__global__ void sum(Node **Lists, int *Sums) {
  int Sum = 0;
  for (Node *N = Lists[threadIdx.x]; N;) {
    Sum += N->Value;
    Node *Next = N->Next;
    free(N);
    N = Next;
  }
  Sums[threadIdx.x] = Sum;
}

__global__ void large(int *Ok) {
  if (threadIdx.x)
    return;
  char *Block = static_cast<char *>(malloc(5 << 20));
  Block[0] = 1;
  Block[(5 << 20) - 1] = 2;
  *Ok = Block[0] + Block[(5 << 20) - 1];
  free(Block);
}

int main() {
  Node **Lists;
  int *Sums;
  OK(hipMalloc(&Lists, 64 * sizeof(Node *)));
  OK(hipMalloc(&Sums, 64 * sizeof(int)));
  for (int Round = 0; Round != 2; ++Round) {
    build<<<1, 64>>>(Lists, 10);
    sum<<<1, 64>>>(Lists, Sums);
    std::vector<int> Host = fromDevice(Sums, 64);
    EXPECT(Host[0] == 45 && Host[63] == 45 + 630);
  }
  large<<<1, 64>>>(Sums);
  EXPECT(fromDevice(Sums, 1)[0] == 3);
  return finish();
}
