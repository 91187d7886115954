#include "harness/contract/rules.hpp"

#include <array>

namespace warpbound::harness::contract {

namespace {

constexpr std::string_view facts = "states what facts and programs mean, not what a device does";
constexpr std::string_view replay = "how recorded traces are replayed, not what a device does";
constexpr std::string_view divergent =
    "needs divergent lanes whose instructions a compiler leaves in their order";
constexpr std::string_view amd = "of AMD's devices, for which the suite has no experiment";
constexpr std::string_view before_issue =
    "a stage before the issue: its times show only in a sum with the gap (C4)";
constexpr std::string_view after_issue =
    "a stage behind the issue: its times show only in a sum with the latency (C13)";
constexpr std::string_view constants =
    "needs constant operands in an order that a compiler does not keep";
constexpr std::string_view banks = "needs register banks and reuse flags, which PTX does not state";
constexpr std::string_view queue =
    "needs memory instructions in flight in an order that a compiler does not keep";
constexpr std::string_view instruction_caches =
    "needs code at known addresses; the warm-up has filled the caches";
constexpr std::string_view contents =
    "needs known contents of the L1; `calibrate` reads them off machines with interlocks";
constexpr std::string_view policy =
    "one instruction decides it, which a compiler moves; `calibrate` estimates the policy of "
    "machines with interlocks";

constexpr auto rules = std::to_array<ContractRule>({
    {"C1", "start of a block", "no program sees its start before its first clock read"},
    {"C2", "end of a warp and of a launch", "no program sees its end after its last clock read"},
    {"C3", "measured time", "all times here are taken by it, and nothing else times it"},
    {"C20", "residency"},
    {"C30", "occupancy limit"},
    {"C31", "several SMs", "", "R1,R2,R3"},
    {"C98", "most room", "needs the SM of each block, which no benchmark records"},
    {"C4", "gap"},
    {"C5", "registers (interlocked machines only)"},
    {"C6", "scoreboards (where control fields exist)"},
    {"C85", "late increments", "no compiler issues a consumer in the cycle behind its producer"},
    {"C97", "what registers hold",
     "needs stall counts that no compiler writes; the suite calibration-encoded has them"},
    {"C110", "reciprocals", "is about values, not times; no suite reads what a reciprocal gives"},
    {"C7", "port"},
    {"C8", "write buffer"},
    {"C9", "barrier"},
    {"C9a", "barriers and branches", facts},
    {"C19", "scheduling policy", policy},
    {"C84", "greedy, then youngest", policy},
    {"C10", "predicate", facts},
    {"C11", "predicated off"},
    {"C12", "port occupancy"},
    {"C95", "lines follow each other faster than instructions", contents},
    {"C112", "lines of few sectors", "no benchmark varies the sectors of its lines alone"},
    {"C13", "result"},
    {"C14", "sources", "shows only where a source is overwritten at once, which compilers avoid"},
    {"C15", "store"},
    {"C94", "drain by sectors", "needs all SMs to store to DRAM at once, and sectors of addresses"},
    {"C16", "memory level of a load"},
    {"C89", "forms of instructions", "no benchmark varies width and address of an access alone"},
    {"C90", "double width, tensor instructions and fences",
     "no benchmark has these instructions alone"},
    {"C17", "what costs nothing", "what is left out shows as a violation of C4 to C13"},
    {"C101", "textures and surfaces", "no benchmark binds a texture"},
    {"C21", "addresses", facts},
    {"C22", "transactions from addresses"},
    {"C96", "one word, one value",
     "needs another writer of the word between the reads of one access"},
    {"C23", "accesses through the caches", facts},
    {"C24", "L1", contents},
    {"C25", "misses and MSHR", contents},
    {"C26", "stores", contents},
    {"C27", "interconnect and L2", "needs several SMs, and the slice of an address"},
    {"C28", "DRAM", "needs the channel, bank and row of an address"},
    {"C29", "results", "a sum of what C24 to C28 say"},
    {"C57", "global atomics",
     "needs the slice of an address; a compiler may add for all lanes first"},
    {"C18", "paths and flow facts", facts},
    {"C37", "lanes of a warp", divergent},
    {"C38", "divergent branches", divergent},
    {"C39", "path serialization", divergent},
    {"C40", "reconvergence points", divergent},
    {"C102", "branches on active lanes", divergent},
    {"C41", "gap between lanes", divergent},
    {"C99", "counters", amd},
    {"C103", "atomics", amd},
    {"C100", "EXEC", amd},
    {"C104", "barriers of work-groups", amd},
    {"C105", "RDNA", amd},
    {"C106", "sleep", amd},
    {"C107", "parts of the pipeline", amd},
    {"C78", "typical draws", "how simulated runs choose, not what a device does"},
    {"C79", "L1 of a launch", contents},
    {"C54", "instruction stream", replay},
    {"C55", "lanes of a record", replay},
    {"C56", "addresses of a record", replay},
    {"C32", "host", "about the calls of the host, whose times no description states"},
    {"C33", "streams", "", "G1,G2,G4,N1,N2"},
    {"C34", "execution queue", "", "X1,G3,Q3"},
    {"C35", "sharing", "needs kernels of several streams on one SM, placed by the program"},
    {"C36", "copies", "", "C1,C2,C3,C4"},
    {"C43", "instruction buffer", before_issue},
    {"C44", "fetch", before_issue},
    {"C45", "instruction cache", before_issue},
    {"C46", "wrong-path instructions", before_issue},
    {"C47", "latch", after_issue},
    {"C48", "collectors", after_issue},
    {"C49", "units", after_issue},
    {"C50", "results", after_issue},
    {"C51", "lines", constants},
    {"C52", "look-up", constants},
    {"C53", "constant stall", constants},
    {"C81", "operand caches", constants},
    {"C82", "look-up and hold", constants},
    {"C83", "loads from constant memory", constants},
    {"C60", "Control and Allocate", after_issue},
    {"C61", "grant of the reads", banks},
    {"C62", "reuse cache", banks},
    {"C111", "reads of variable latency", banks},
    {"C108", "write port", banks},
    {"C71", "places", queue},
    {"C72", "hand-over", queue},
    {"C73", "turns", queue},
    {"C92", "return of loads", queue},
    {"C74", "times", queue},
    {"C66", "buffers and decoders", before_issue},
    {"C67", "look-up", instruction_caches},
    {"C68", "L0 and stream buffer", instruction_caches},
    {"C69", "L1", instruction_caches},
    {"C70", "contents", instruction_caches},
});

} // namespace

std::span<const ContractRule> contract_rules() {
    return rules;
}

} // namespace warpbound::harness::contract
