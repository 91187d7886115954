#include "assembly/isa/opcode.hpp"

#include <array>
#include <unordered_map>
#include <utility>

namespace warpbound::assembly {

namespace {

constexpr std::array<std::string_view, opcode_class_count> class_names{"integer-add",
                                                                       "integer-multiply",
                                                                       "logic",
                                                                       "shift",
                                                                       "move",
                                                                       "integer-compare",
                                                                       "float-add",
                                                                       "float-multiply",
                                                                       "float-multiply-add",
                                                                       "float-compare",
                                                                       "half",
                                                                       "double",
                                                                       "special-function",
                                                                       "conversion",
                                                                       "bit-count",
                                                                       "tensor",
                                                                       "vote",
                                                                       "shuffle",
                                                                       "uniform",
                                                                       "special-register",
                                                                       "clock-read",
                                                                       "load-constant",
                                                                       "load-shared",
                                                                       "store-shared",
                                                                       "atomic-shared",
                                                                       "load-global",
                                                                       "store-global",
                                                                       "atomic-global",
                                                                       "load-local",
                                                                       "store-local",
                                                                       "texture",
                                                                       "barrier",
                                                                       "memory-fence",
                                                                       "dependence-barrier",
                                                                       "reconvergence",
                                                                       "branch",
                                                                       "exit",
                                                                       "nop",
                                                                       "unknown"};

struct Row {
    OpcodeClass opcode_class;
    std::string_view mnemonics;
};

constexpr std::array rows{
#define ROW(opcode_class, mnemonics) Row{OpcodeClass::opcode_class, mnemonics},
#include "assembly/isa/opcode_table.inc"
#undef ROW
};

constexpr std::array<std::pair<std::string_view, ControlFlow>, 33> control_table{{
    {"BRA", ControlFlow::Branch},
    {"JMP", ControlFlow::Branch},
    {"BRX", ControlFlow::IndirectBranch},
    {"BRXU", ControlFlow::IndirectBranch},
    {"JMX", ControlFlow::IndirectBranch},
    {"JMXU", ControlFlow::IndirectBranch},
    {"JMPU", ControlFlow::IndirectBranch},
    {"LONGJMP", ControlFlow::Unknown},
    {"PLONGJMP", ControlFlow::Unknown},
    {"PEXIT", ControlFlow::Unknown},
    {"CAL", ControlFlow::Call},
    {"JCAL", ControlFlow::Call},
    {"CALL", ControlFlow::Call},
    {"RET", ControlFlow::Return},
    {"EXIT", ControlFlow::Exit},
    {"KIL", ControlFlow::Exit},
    {"KILL", ControlFlow::Exit},
    {"SSY", ControlFlow::PushReconvergence},
    {"PBK", ControlFlow::PushBreak},
    {"PCNT", ControlFlow::PushContinue},
    {"PRET", ControlFlow::PushReturn},
    {"SYNC", ControlFlow::PopReconvergence},
    {"BRK", ControlFlow::PopBreak},
    {"CONT", ControlFlow::PopContinue},
    {"BSSY", ControlFlow::ConvergenceSet},
    {"BSYNC", ControlFlow::ConvergenceWait},
    {"BREAK", ControlFlow::ConvergenceBreak},
    {"BPT", ControlFlow::Trap},
    {"RTT", ControlFlow::Unknown},
    {"WARPSYNC", ControlFlow::None},
    {"BMOV", ControlFlow::None},
    {"YIELD", ControlFlow::None},
    {"NANOSLEEP", ControlFlow::None},
}};

/// Space, load and store of the memory classes; LD, ST, ATOM and RED are generic.
void set_memory(OpcodeInfo& info) {
    const std::string_view name = info.mnemonic;
    switch (info.opcode_class) {
    case OpcodeClass::LoadConstant:
        info.space = StateSpace::Constant;
        info.is_load = true;
        break;
    case OpcodeClass::LoadShared:
        info.space = StateSpace::Shared;
        info.is_load = true;
        break;
    case OpcodeClass::StoreShared:
        info.space = StateSpace::Shared;
        info.is_store = true;
        break;
    case OpcodeClass::AtomicShared:
        info.space = StateSpace::Shared;
        info.is_load = name != "REDS";
        info.is_store = true;
        break;
    case OpcodeClass::LoadGlobal:
        info.space = name == "LD" ? StateSpace::Generic : StateSpace::Global;
        info.is_load = true;
        break;
    case OpcodeClass::StoreGlobal:
        info.space = name == "ST"     ? StateSpace::Generic
                     : name == "SUST" ? StateSpace::Texture
                                      : StateSpace::Global;
        info.is_store = true;
        break;
    case OpcodeClass::AtomicGlobal:
        info.space = name == "ATOM" || name == "RED"       ? StateSpace::Generic
                     : name == "SUATOM" || name == "SURED" ? StateSpace::Texture
                                                           : StateSpace::Global;
        info.is_load = name != "RED" && name != "REDG" && name != "SURED";
        info.is_store = name != "LDLK";
        break;
    case OpcodeClass::LoadLocal:
        info.space = StateSpace::Local;
        info.is_load = true;
        break;
    case OpcodeClass::StoreLocal:
        info.space = StateSpace::Local;
        info.is_store = true;
        break;
    case OpcodeClass::Texture:
        info.space = StateSpace::Texture;
        info.is_load = true;
        break;
    default:
        break;
    }
}

std::unordered_map<std::string_view, OpcodeInfo> build_table() {
    std::unordered_map<std::string_view, OpcodeInfo> table;
    for (const Row& row : rows) {
        std::string_view rest = row.mnemonics;
        while (!rest.empty()) {
            const std::size_t blank = rest.find(' ');
            OpcodeInfo info;
            info.mnemonic = rest.substr(0, blank);
            info.opcode_class = row.opcode_class;
            set_memory(info);
            table.emplace(info.mnemonic, info);
            rest = blank == std::string_view::npos ? std::string_view{} : rest.substr(blank + 1);
        }
    }
    for (const auto& [mnemonic, control_flow] : control_table)
        table.at(mnemonic).control_flow = control_flow;
    return table;
}

} // namespace

std::string_view to_string(OpcodeClass opcode_class) {
    return class_names[static_cast<std::size_t>(opcode_class)];
}

std::optional<OpcodeClass> parse_opcode_class(std::string_view name) {
    for (std::size_t i = 0; i < class_names.size(); ++i)
        if (class_names[i] == name) return static_cast<OpcodeClass>(i);
    return std::nullopt;
}

bool transfers_control(ControlFlow flow) {
    switch (flow) {
    case ControlFlow::Branch:
    case ControlFlow::IndirectBranch:
    case ControlFlow::Call:
    case ControlFlow::Return:
    case ControlFlow::PopReconvergence:
    case ControlFlow::PopBreak:
    case ControlFlow::PopContinue:
    case ControlFlow::ConvergenceWait:
        return true;
    default:
        return false;
    }
}

std::optional<OpcodeInfo> find_opcode(std::string_view mnemonic) {
    static const auto table = build_table();
    const auto found = table.find(mnemonic);
    if (found == table.end()) return std::nullopt;
    return found->second;
}

} // namespace warpbound::assembly
