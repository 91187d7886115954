#pragma once
/// \file
/// Timing-independent properties of opcodes: class, control flow, memory access.

#include "assembly/isa/target.hpp"

#include <optional>
#include <string_view>

namespace warpbound::assembly {

/// Classes of instructions with the same timing. An architecture description gives each class
/// its timing under the name that `to_string` prints ("integer-add").
enum class OpcodeClass {
    IntegerAdd,       ///< IADD, IADD3, ISCADD, LEA, IABS, IMNMX, VADD ..
    IntegerMultiply,  ///< IMUL, IMAD (not the move forms; the compiler's purpose is not guessed),
                      ///< XMAD
    Logic,            ///< LOP, LOP3, PLOP3, BFE, BFI, BMSK, PRMT, SGXT
    Shift,            ///< SHL, SHR, SHF
    Move,             ///< MOV, SEL, MOV32I
    IntegerCompare,   ///< ISETP, ISET, PSETP, ICMP
    FloatAdd,         ///< FADD
    FloatMultiply,    ///< FMUL
    FloatMultiplyAdd, ///< FFMA
    FloatCompare,     ///< FSETP, FSET, FMNMX, FCMP, FCHK, FSEL
    Half,             ///< HADD2, HMUL2, HFMA2, HSETP2
    Double,           ///< DADD, DMUL, DFMA, DSETP
    SpecialFunction,  ///< MUFU, COS, SIN, EX2, LG2, RCP, RSQ, RRO
    Conversion,       ///< F2F, F2I, I2F, I2I, FRND
    BitCount,         ///< POPC, FLO, BREV
    Tensor,           ///< HMMA, IMMA, DMMA, HGMMA
    Vote,             ///< VOTE, VOTEU, MATCH, R2P, P2R, ..
    Shuffle,          ///< SHFL
    Uniform,          ///< the uniform datapath: UIADD3, UMOV, ULOP3, R2UR, ..
    SpecialRegister,  ///< S2R, S2UR, CS2R of anything but the clock, B2R
    ClockRead,        ///< S2R or CS2R of the clock register
    LoadConstant,     ///< LDC, ULDC, LDCU
    LoadShared,
    StoreShared,
    AtomicShared,
    LoadGlobal,
    StoreGlobal,
    AtomicGlobal, ///< also the generic LD, ST, ATOM, RED
    LoadLocal,
    StoreLocal,
    Texture,           ///< TEX, TLD, SULD, ..; SUST is a StoreGlobal, SURED an AtomicGlobal
    Barrier,           ///< BAR
    MemoryFence,       ///< MEMBAR, ERRBAR, CCTL, FENCE
    DependenceBarrier, ///< DEPBAR
    Reconvergence,     ///< SSY, PBK, PCNT, BSSY, BSYNC, SYNC, WARPSYNC, BMOV, ...
    Branch,            ///< BRA, BRK, CONT, JMP, CALL, RET, ...
    Exit,              ///< EXIT
    Nop,               ///< NOP
    Unknown,           ///< not in the table: kept and reported; a model that needs its time refuses
};
inline constexpr int opcode_class_count = static_cast<int>(OpcodeClass::Unknown) + 1;

std::string_view to_string(OpcodeClass opcode_class);
std::optional<OpcodeClass> parse_opcode_class(std::string_view name);

/// How an instruction moves control.
enum class ControlFlow {
    None,           ///< falls through
    Branch,         ///< BRA, JMP with a direct target
    IndirectBranch, ///< BRX, JMX, BRXU, LONGJMP: refused unless the listing names its targets
    Call,           ///< CAL, JCAL, CALL.REL, CALL.ABS
    Return,         ///< RET
    Exit,           ///< EXIT, KIL
    PushReconvergence,
    PushBreak,
    PushContinue,
    PushReturn, ///< SSY, PBK, PCNT, PRET
    PopReconvergence,
    PopBreak,
    PopContinue, ///< SYNC or suffix .S, BRK, CONT
    ConvergenceSet,
    ConvergenceWait,
    ConvergenceBreak, ///< BSSY, BSYNC, BREAK
    Trap,             ///< BPT, ...
    ExternalCall,     ///< a call through a register: of code that the listing does not hold
    Unknown,          ///< a control instruction whose effect is not known: refused
};

/// A branch, call, return, pop or wait for convergence: where its guard holds, control goes
/// elsewhere. EXIT terminates threads and is not included.
bool transfers_control(ControlFlow flow);

/// State spaces.
enum class StateSpace { None, Global, Shared, Local, Constant, Generic, Texture };

/// Row of the opcode table.
struct OpcodeInfo {
    std::string_view mnemonic;
    OpcodeClass opcode_class = OpcodeClass::Unknown;
    ControlFlow control_flow = ControlFlow::None;
    StateSpace space = StateSpace::None;
    bool is_load = false;
    bool is_store = false; ///< An atomic is both load (if it returns a value) and store.
};

/// Row of the opcode table for a mnemonic without modifiers ("IADD3"); nothing when the table does
/// not know it.
std::optional<OpcodeInfo> find_opcode(std::string_view mnemonic);

} // namespace warpbound::assembly
