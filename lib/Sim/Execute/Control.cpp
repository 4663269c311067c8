//===- Control.cpp - Branches, calls, barriers, state registers -----------===//

#include "../Program.h"
#include "../WaitTracker.h"
#include "Groups.h"
#include "Lanes.h"

#include <atomic>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

void jump(Wave &W, const Inst &I, uint64_t Address) {
  const Inst *Target = W.L->Code.at(Address);
  if (!Target) {
    W.fault(I, FaultKind::BadProgramCounter, "jumps to an address that holds no code", -1, Address);
    return;
  }
  W.Thread->enter(*Target, W.L->Code);
  W.Next = Target;
}

void branch(Wave &W, const Inst &I) {
  if (I.Target)
    W.Next = I.Target;
  else
    jump(W, I, I.Pc + 4 + int64_t(I.Imm) * 4);
}

void runBranch(Wave &W, const Inst &I) { branch(W, I); }
void runScc0(Wave &W, const Inst &I) {
  if (!W.Scc)
    branch(W, I);
}
void runScc1(Wave &W, const Inst &I) {
  if (W.Scc)
    branch(W, I);
}
void runVccz(Wave &W, const Inst &I) {
  if (!W.vcc())
    branch(W, I);
}
void runVccnz(Wave &W, const Inst &I) {
  if (W.vcc())
    branch(W, I);
}
void runExecz(Wave &W, const Inst &I) {
  if (!W.exec())
    branch(W, I);
}
void runExecnz(Wave &W, const Inst &I) {
  if (W.exec())
    branch(W, I);
}
void runNever(Wave &, const Inst &) {}

void runGetpc(Wave &W, const Inst &I) { W.setPair(I.Dst, I.Pc + I.Size); }
void runSetpc(Wave &W, const Inst &I) { jump(W, I, scalar64(W, I.Src[0])); }
void runSwappc(Wave &W, const Inst &I) {
  uint64_t To = scalar64(W, I.Src[0]);
  W.setPair(I.Dst, I.Pc + I.Size);
  jump(W, I, To);
}
void runCall(Wave &W, const Inst &I) {
  W.setPair(I.Dst, I.Pc + 4);
  jump(W, I, I.Pc + 4 + int64_t(I.Imm) * 4);
}

void runEnd(Wave &W, const Inst &) { W.Stopped = Stop::End; }
void runBarrier(Wave &W, const Inst &) { W.Stopped = Stop::Barrier; }
void runSleep(Wave &W, const Inst &I) {
  W.Stopped = Stop::Yield;
  W.Slept += 64 * (I.Imm & 0x7f);
  if (W.L->Config.Service)
    W.L->Config.Service();
}
void runSendmsg(Wave &W, const Inst &) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (W.L->Config.Service)
    W.L->Config.Service();
}
void runTrap(Wave &W, const Inst &I) {
  unsigned Id = I.Imm & 0xff;
  // 2 is __builtin_trap, 3 the debugger's.
  if (Id == 3)
    return;
  W.fault(I, FaultKind::Trap, "the kernel trapped (assert, abort or unreachable code)");
}
void runHalt(Wave &W, const Inst &I) {
  if (I.Imm & 1)
    W.fault(I, FaultKind::Trap, "the kernel halted itself");
}
void runWaitcnt(Wave &W, const Inst &I) {
  if (W.Waits)
    W.Waits->wait(I.Imm);
}
void runFence(Wave &, const Inst &) { std::atomic_thread_fence(std::memory_order_seq_cst); }

/// A hardware register as s_getreg names it: number, first bit, width.
struct Field {
  unsigned Id, Offset, Width;
  explicit Field(int32_t Imm) : Id(Imm & 63), Offset(Imm >> 6 & 31), Width((Imm >> 11 & 31) + 1) {}
  uint32_t mask() const { return Width == 32 ? ~0u : (1u << Width) - 1; }
};

uint32_t hardwareRegister(const Wave &W, unsigned Id) {
  switch (Id) {
  case 1:
    return W.Mode;
  case 2: // STATUS: SCC, EXECZ, VCCZ, valid
    return uint32_t(W.Scc) | uint32_t(!W.exec()) << 9 | uint32_t(!W.vcc()) << 10 | 1u << 16;
  case 3:
    return W.TrapStatus;
  case 4: { // HW_ID: wave, SIMD, CU, shader engine from the number of the workgroup
    uint32_t Cu = uint32_t(W.Group->Linear);
    return (W.Number / 4 & 15) | (W.Number & 3) << 4 | (Cu % 16) << 8 | (Cu / 16 % 4) << 13;
  }
  case 5: // GPR_ALLOC
    return 0;
  case 6: // LDS_ALLOC
    return (W.L->LdsSize + 255) / 256 << 12;
  case 20: // XCC_ID: workgroups go round the dies
    return uint32_t(W.Group->Linear % 8);
  default:
    return 0;
  }
}

void runGetreg(Wave &W, const Inst &I) {
  Field F(I.Imm);
  W.S[I.Dst] = hardwareRegister(W, F.Id) >> F.Offset & F.mask();
}
void setRegister(Wave &W, const Inst &I, uint32_t X) {
  Field F(I.Imm);
  uint32_t Mask = F.mask() << F.Offset;
  if (F.Id == 1)
    updateMode(W, (W.Mode & ~Mask) | (X << F.Offset & Mask));
  else if (F.Id == 3)
    W.TrapStatus = (W.TrapStatus & ~Mask) | (X << F.Offset & Mask);
}
void runSetreg(Wave &W, const Inst &I) { setRegister(W, I, W.S[I.Dst]); }
void runSetregImm(Wave &W, const Inst &I) { setRegister(W, I, uint32_t(I.Src[1].Value)); }

void runRoundMode(Wave &W, const Inst &I) { updateMode(W, (W.Mode & ~15u) | (I.Imm & 15)); }
void runDenormMode(Wave &W, const Inst &I) { updateMode(W, (W.Mode & ~0xf0u) | (I.Imm & 15) << 4); }

void setIndexing(Wave &W, bool On) {
  W.GprIndexing = On;
  updateMode(W, W.Mode);
}
void runIndexOn(Wave &W, const Inst &I) {
  W.S[SgprM0] =
      (W.S[SgprM0] & ~0xf0ffu) | (scalar32(W, I.Src[0]) & 0xff) | (I.LdsOffset1 & 15) << 12;
  setIndexing(W, true);
}
void runIndexOff(Wave &W, const Inst &) { setIndexing(W, false); }
void runIndexIdx(Wave &W, const Inst &I) {
  W.S[SgprM0] = (W.S[SgprM0] & ~0xffu) | (scalar32(W, I.Src[0]) & 0xff);
}
void runIndexMode(Wave &W, const Inst &I) {
  W.S[SgprM0] = (W.S[SgprM0] & ~0xf000u) | (I.Imm & 15) << 12;
}

} // namespace

void addControl(OpTable &Table) {
  Adder T(Table);
  using S = SourceType;
  constexpr unsigned Goes = OpTransfers | OpNoDst;
  struct {
    const char *Name;
    Handler Run;
  } Branches[] = {{"s_branch", runBranch},
                  {"s_cbranch_scc0", runScc0},
                  {"s_cbranch_scc1", runScc1},
                  {"s_cbranch_vccz", runVccz},
                  {"s_cbranch_vccnz", runVccnz},
                  {"s_cbranch_execz", runExecz},
                  {"s_cbranch_execnz", runExecnz},
                  {"s_cbranch_cdbgsys", runNever},
                  {"s_cbranch_cdbguser", runNever},
                  {"s_cbranch_cdbgsys_or_user", runNever},
                  {"s_cbranch_cdbgsys_and_user", runNever}};
  for (auto &B : Branches)
    T.raw(B.Name, B.Run, InstClass::Branch, {}, Goes);
  T.raw("s_getpc_b64", runGetpc, InstClass::Salu, {}, 0, 2);
  T.raw("s_setpc_b64", runSetpc, InstClass::Branch, {S::B64}, Goes);
  T.raw("s_swappc_b64", runSwappc, InstClass::Branch, {S::B64}, OpTransfers, 2);
  T.raw("s_call_b64", runCall, InstClass::Branch, {}, OpTransfers, 2);
  T.raw("s_endpgm", runEnd, InstClass::Branch, {}, OpNoDst | OpEndsBlock);
  T.raw("s_endpgm_saved", runEnd, InstClass::Branch, {}, OpNoDst | OpEndsBlock);
  T.raw("s_barrier", runBarrier, InstClass::Barrier, {}, OpNoDst);
  T.raw("s_waitcnt", runWaitcnt, InstClass::Wait, {}, OpNoDst);
  T.raw("s_sleep", runSleep, InstClass::Message, {}, OpNoDst);
  T.raw("s_sendmsg", runSendmsg, InstClass::Message, {}, OpNoDst);
  T.raw("s_sendmsghalt", runSendmsg, InstClass::Message, {}, OpNoDst);
  T.raw("s_trap", runTrap, InstClass::Message, {}, OpNoDst);
  T.raw("s_sethalt", runHalt, InstClass::Message, {}, OpNoDst);
  for (const char *Name : {"s_nop", "s_setprio", "s_setkill", "s_icache_inv", "s_incperflevel",
                           "s_decperflevel", "s_ttracedata", "s_wakeup", "s_dcache_inv",
                           "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol"})
    T.raw(Name, runNever, InstClass::Message, {}, OpNoDst);
  for (const char *Name :
       {"buffer_wbl2", "buffer_inv", "buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_invl2"})
    T.raw(Name, runFence, InstClass::Message, {}, OpNoDst);
  T.raw("s_getreg_b32", runGetreg, InstClass::Salu);
  T.raw("s_setreg_b32", runSetreg, InstClass::Salu, {S::B32}, OpNoDst);
  T.raw("s_setreg_imm32_b32", runSetregImm, InstClass::Salu, {}, OpNoDst);
  T.raw("s_round_mode", runRoundMode, InstClass::Salu, {}, OpNoDst);
  T.raw("s_denorm_mode", runDenormMode, InstClass::Salu, {}, OpNoDst);
  T.raw("s_set_gpr_idx_on", runIndexOn, InstClass::Salu, {S::B32}, OpNoDst);
  T.raw("s_set_gpr_idx_off", runIndexOff, InstClass::Salu, {}, OpNoDst);
  T.raw("s_set_gpr_idx_idx", runIndexIdx, InstClass::Salu, {S::B32}, OpNoDst);
  T.raw("s_set_gpr_idx_mode", runIndexMode, InstClass::Salu, {}, OpNoDst);
}

HK_SIM_END
