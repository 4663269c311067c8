//===- LineDiff.cpp - Shortest line edit script ---------------------------===//
//
// E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in the linear-space form:
// search from both ends at once until the two meet in a run of equal lines, the middle snake, and
// solve what is before and behind it alike. D, the number of changed lines, is small for the edits
// of a rewrite.
//
//===----------------------------------------------------------------------===//

#include "LineDiff.h"

#include "llvm/ADT/StringMap.h"

#include <cstdlib>

using namespace llvm;
using namespace hk;

namespace {

class LineDiff {
public:
  LineDiff(ArrayRef<unsigned> A, ArrayRef<unsigned> B)
      : A(A), B(B), Removed(A.size()), Added(B.size()), Origin(A.size() + B.size() + 1),
        Forward(2 * Origin + 1), Backward(2 * Origin + 1) {
    compare(0, A.size(), 0, B.size());
    slideDown();
  }

  std::vector<LineChange> changes() const;

private:
  /// Beyond this many changed lines a script that is short no longer helps a reader, and the search
  /// gets slow.
  static constexpr int MaxDistance = 10000;

  struct Snake {
    int ABegin, BBegin, AEnd, BEnd;
    bool Found;
  };

  ArrayRef<unsigned> A, B;
  std::vector<bool> Removed, Added;
  int Origin; // index of diagonal 0
  std::vector<int> Forward, Backward;

  void compare(int ALo, int AHi, int BLo, int BHi);
  Snake middle(int ALo, int AHi, int BLo, int BHi);
  void slideDown();
};

} // namespace

LineDiff::Snake LineDiff::middle(int ALo, int AHi, int BLo, int BHi) {
  int N = AHi - ALo, M = BHi - BLo, Delta = N - M;
  bool Odd = Delta % 2 != 0;
  int *F = &Forward[Origin], *R = &Backward[Origin];
  F[1] = R[1] = 0;
  for (int D = 0; D <= MaxDistance && D <= (N + M + 1) / 2; ++D) {
    for (int K = -D; K <= D; K += 2) {
      int X = K == -D || (K != D && F[K - 1] < F[K + 1]) ? F[K + 1] : F[K - 1] + 1;
      int Y = X - K, XBegin = X, YBegin = Y;
      while (X < N && Y < M && A[ALo + X] == B[BLo + Y])
        ++X, ++Y;
      F[K] = X;
      if (Odd && std::abs(Delta - K) < D && X + R[Delta - K] >= N)
        return {ALo + XBegin, BLo + YBegin, ALo + X, BLo + Y, true};
    }
    for (int K = -D; K <= D; K += 2) {
      int X = K == -D || (K != D && R[K - 1] < R[K + 1]) ? R[K + 1] : R[K - 1] + 1;
      int Y = X - K, XBegin = X, YBegin = Y;
      while (X < N && Y < M && A[AHi - 1 - X] == B[BHi - 1 - Y])
        ++X, ++Y;
      R[K] = X;
      if (!Odd && std::abs(Delta - K) <= D && X + F[Delta - K] >= N)
        return {AHi - X, BHi - Y, AHi - XBegin, BHi - YBegin, true};
    }
  }
  return {0, 0, 0, 0, false};
}

void LineDiff::compare(int ALo, int AHi, int BLo, int BHi) {
  while (ALo < AHi && BLo < BHi && A[ALo] == B[BLo])
    ++ALo, ++BLo;
  while (ALo < AHi && BLo < BHi && A[AHi - 1] == B[BHi - 1])
    --AHi, --BHi;
  Snake S{0, 0, 0, 0, false};
  if (ALo < AHi && BLo < BHi)
    S = middle(ALo, AHi, BLo, BHi);
  if (!S.Found) {
    std::fill(Removed.begin() + ALo, Removed.begin() + AHi, true);
    std::fill(Added.begin() + BLo, Added.begin() + BHi, true);
    return;
  }
  compare(ALo, S.ABegin, BLo, S.BBegin);
  compare(S.AEnd, AHi, S.BEnd, BHi);
}

/// Among equally short scripts, moves each pure insertion or deletion as far down as it goes. A new
/// function is then shown from its first line to its brace, not from the brace of the one before.
void LineDiff::slideDown() {
  auto Slide = [](ArrayRef<unsigned> Lines, std::vector<bool> &Changed, std::vector<bool> &Other) {
    size_t I = 0, J = 0; // the next line here and on the other side
    while (I < Lines.size()) {
      if (!Changed[I]) {
        while (J < Other.size() && Other[J])
          ++J;
        ++I, ++J;
        continue;
      }
      size_t Begin = I;
      while (I < Lines.size() && Changed[I])
        ++I;
      if (J < Other.size() && Other[J])
        continue; // a replacement
      while (I < Lines.size() && !Changed[I] && !Other[J] && Lines[Begin] == Lines[I]) {
        Changed[Begin++] = false;
        Changed[I++] = true;
        ++J;
        while (I < Lines.size() && Changed[I])
          ++I;
        if (J < Other.size() && Other[J])
          break;
      }
    }
  };
  Slide(A, Removed, Added);
  Slide(B, Added, Removed);
}

std::vector<LineChange> LineDiff::changes() const {
  std::vector<LineChange> Result;
  unsigned I = 0, J = 0;
  while (I < A.size() || J < B.size()) {
    LineChange C{I, I, J, J};
    while (C.AEnd < A.size() && Removed[C.AEnd])
      ++C.AEnd;
    while (C.BEnd < B.size() && Added[C.BEnd])
      ++C.BEnd;
    I = C.AEnd + 1;
    J = C.BEnd + 1;
    if (C.ABegin != C.AEnd || C.BBegin != C.BEnd)
      Result.push_back(C);
  }
  return Result;
}

std::vector<StringRef> hk::splitLines(StringRef Text) {
  std::vector<StringRef> Result;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    size_t Length = End == StringRef::npos ? Text.size() : End + 1;
    Result.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Result;
}

std::vector<LineChange> hk::diffLines(ArrayRef<StringRef> A, ArrayRef<StringRef> B) {
  // Numbers for lines: the search compares them often.
  StringMap<unsigned> Numbers;
  auto Number = [&](ArrayRef<StringRef> Lines) {
    std::vector<unsigned> Result;
    for (StringRef Line : Lines)
      Result.push_back(Numbers.try_emplace(Line, Numbers.size()).first->second);
    return Result;
  };
  std::vector<unsigned> ANumbers = Number(A), BNumbers = Number(B);
  return LineDiff(ANumbers, BNumbers).changes();
}
