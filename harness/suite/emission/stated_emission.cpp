#include "harness/suite/emission/stated_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

/// Stall count of an instruction that transfers control or ends the warp (maxas).
constexpr std::int64_t transfer_stall = 5;
constexpr std::int64_t instruction_bytes = 16;
constexpr int scoreboards = 6;

/// An instruction of Fermi, and the one of Volta and later that stands for it. `{0}` to `{2}` are
/// its operands. A third source is RZ: three registers may need more than one cycle to be read.
struct Successor {
    std::string_view before;
    std::string_view after;
};
constexpr auto successors = std::to_array<Successor>({
    {"IADD", "IADD3 {0}, {1}, {2}, RZ"},
    {"IMUL", "IMAD {0}, {1}, {2}, RZ"},
    {"LOP.AND", "LOP3.LUT {0}, {1}, {2}, RZ, 0xc0, !PT"},
    {"SHL", "SHF.L.U32 {0}, {1}, {2}, RZ"},
    {"ISET.LT.AND", "ISETP.LT.AND P0, PT, {1}, {2}, PT"},
    {"FFMA", "FFMA {0}, {1}, {2}, RZ"},
    {"DADD", "DADD {0}, {1}, RZ"},
    {"I2F.F32.S32", "I2F {0}, {1}"},
    {"POPC", "POPC {0}, {1}"},
    {"LDC", "LDC {0}, c[0x0][0x160]"},
    {"LD", "LDG.E {0}, {1}"},
    {"ST", "STG.E {0}, {1}"},
    {"ATOM.ADD", "ATOMG.E.ADD PT, {0}, {1}, {2}"},
});

std::string_view stripped(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    return text;
}

std::string modern_text(const std::string& text) {
    std::string_view rest = text;
    std::string guard;
    if (rest.starts_with('@')) {
        const std::size_t end = rest.find(' ') + 1;
        guard = rest.substr(0, end);
        rest.remove_prefix(end);
    }
    const std::size_t space = std::min(rest.find(' '), rest.size());
    const std::string_view mnemonic = rest.substr(0, space);
    rest.remove_prefix(space);
    if (mnemonic == "S2R") {
        const std::string operands{rest};
        if (operands.ends_with("SR_Tid_X"))
            return fmt::format("{}S2R{}SR_TID.X", guard, operands.substr(0, operands.size() - 8));
        if (operands.ends_with("SR_ClockLo"))
            return fmt::format("{}S2R{}SR_CLOCKLO", guard,
                               operands.substr(0, operands.size() - 10));
        return text;
    }
    const auto* const found = std::ranges::find(successors, mnemonic, &Successor::before);
    if (found == successors.end()) return text;
    std::array<std::string_view, 3> operands;
    for (auto& operand : operands) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        operand = stripped(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return guard + fmt::format(fmt::runtime(found->after), operands[0], operands[1], operands[2]);
}

/// Writes the operations in program order.
class StatedWriter {
public:
    StatedWriter(std::string& text, Protection protection) : text_{text}, protection_{protection} {}

    /// `later`: the operations behind it.
    void put(const Operation& operation, const std::vector<Operation>& all, std::size_t index) {
        std::string text = modern_text(operation.text);
        if (operation.opcode_class == OpcodeClass::Branch) // To the next instruction.
            text.replace(text.find("0x"), std::string::npos,
                         fmt::format("0x{:x}", (written_ + 1) * instruction_bytes));
        addresses_.push_back(written_ * instruction_bytes);
        std::vector<int> waits;
        for (const int accessed : accesses_of(operation))
            if (const auto found = pending_.find(accessed); found != pending_.end()) {
                waits.push_back(found->second);
                pending_.erase(found);
            }
        std::ranges::sort(waits);
        waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
        if (!waits.empty()) text += fmt::format(" &req={{{}}}", fmt::join(waits, ","));
        if (operation.destination >= 0 && has_stated_scoreboard(operation.opcode_class) &&
            is_awaited(operation.destination, all, index)) {
            text += fmt::format(" &wr=0x{}", next_);
            pending_[operation.destination] = next_;
            next_ = (next_ + 1) % scoreboards;
        }
        const bool transfers = operation.opcode_class == OpcodeClass::Exit;
        write(std::move(text), transfers             ? transfer_stall
                               : operation.stall > 0 ? operation.stall
                                                     : stated_stall);
    }
    std::vector<std::int64_t> addresses() { return std::move(addresses_); }

private:
    [[nodiscard]] std::vector<int> accesses_of(const Operation& operation) const {
        std::vector<int> registers = operation.sources;
        if (protection_ == Protection::Accesses && operation.destination >= 0)
            registers.push_back(operation.destination);
        return registers;
    }
    /// Whether a later operation waits for the register before it is written again.
    [[nodiscard]] bool is_awaited(int reg, const std::vector<Operation>& all,
                                  std::size_t index) const {
        for (std::size_t later = index + 1; later < all.size(); ++later) {
            const auto accessed = accesses_of(all[later]);
            if (std::ranges::find(accessed, reg) != accessed.end()) return true;
            if (all[later].destination == reg) return false;
        }
        return false;
    }
    void write(std::string instruction, std::int64_t stall) {
        while (stall > longest_plain_stall) {
            text_ += fmt::format("  {} ?trans{};\n", instruction, longest_plain_stall);
            ++written_;
            stall -= longest_plain_stall;
            instruction = "NOP";
        }
        text_ += fmt::format("  {} ?trans{};\n", instruction, stall);
        ++written_;
    }

    std::string& text_;
    Protection protection_;
    std::int64_t written_ = 0;
    int next_ = 0;
    std::map<int, int> pending_; ///< Scoreboard of each register whose result nobody awaited yet.
    std::vector<std::int64_t> addresses_;
};

} // namespace

bool has_stated_scoreboard(OpcodeClass opcode_class) {
    switch (opcode_class) {
    case OpcodeClass::ClockRead:
    case OpcodeClass::SpecialRegister:
    case OpcodeClass::SpecialFunction:
    case OpcodeClass::Conversion:
    case OpcodeClass::BitCount:
    case OpcodeClass::LoadConstant:
    case OpcodeClass::LoadShared:
    case OpcodeClass::LoadGlobal:
    case OpcodeClass::LoadLocal:
    case OpcodeClass::AtomicShared:
    case OpcodeClass::AtomicGlobal:
        return true;
    default:
        return false;
    }
}

EmittedKernel emit_stated(const std::string& kernel, const std::vector<Operation>& operations,
                          assembly::Target target, Protection protection) {
    EmittedKernel emitted;
    emitted.text = fmt::format("!Arch {}\n!Kernel {}\n", assembly::to_string(target), kernel);
    StatedWriter writer{emitted.text, protection};
    for (std::size_t i = 0; i < operations.size(); ++i)
        writer.put(operations[i], operations, i);
    emitted.addresses = writer.addresses();
    emitted.text += "!EndKernel\n";
    return emitted;
}

} // namespace warpbound::harness
