#include "analyzer/launch/operand_lines.hpp"

#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::analyzer {

namespace {

using assembly::ConstantOperand;
using models::Interval;

/// The group `memories/constant`. `Unit:` core cycles, where not bytes, sets or ways.
struct CacheValues {
    std::int64_t line = 1;
    std::int64_t sets = 1;
    std::int64_t fewest_ways = 1;
    std::int64_t miss = 1; ///< Side: upper.
    std::int64_t hold = 1; ///< Side: upper.
    bool are_warm = false;
};

Result<CacheValues> values_of(const models::Architecture& architecture) {
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    const models::ValueGroup& group = *architecture.memory("constant");
    std::optional<Failure> failure;
    const auto value = [&](const char* name, bool is_one, std::int64_t least) {
        const auto found = models::require(architecture, group, "memories/constant", name);
        if (!found) {
            if (!failure) failure = found.error();
            return Interval{1, std::nullopt, 1};
        }
        const Interval interval = found.value();
        if (!failure &&
            (interval.lo < least || interval.hi > most || (is_one && !interval.is_exact())))
            failure = Failure{fmt::format("memories/constant/{} is {}..{}; expected {}{} to {}",
                                          name, interval.lo, interval.hi,
                                          is_one ? "one number from " : "", least, most),
                              architecture.name};
        return interval;
    };
    CacheValues values;
    values.line = value("line", true, 1).lo;
    values.sets = value("sets", true, 1).lo;
    values.fewest_ways = value("ways", false, 1).lo;
    values.miss = value("miss", false, 1).hi;
    values.hold = value("hold", false, 1).hi;
    if (group.find("warm") != nullptr) values.are_warm = value("warm", true, 0).lo == 1;
    if (failure) return *failure;
    return values;
}

bool has_address_in_register(const ConstantOperand& constant) {
    return constant.uniform_register || constant.bank_register ||
           constant.index_register.value_or(-1) >= 0;
}

/// Constants that an instruction reads through the cache of its scheduler.
template <class Use> void each_operand(const assembly::Instruction& instruction, const Use& use) {
    if (instruction.opcode_class == assembly::OpcodeClass::LoadConstant) return;
    for (const assembly::Operand& operand : instruction.operands)
        if (const auto* constant = std::get_if<ConstantOperand>(&operand)) use(*constant);
}

/// Of the whole text: whether an instruction is ever executed is no matter.
OperandLines lines_of_text(const assembly::Function& function, const CacheValues& values) {
    OperandLines lines;
    lines.are_warm = values.are_warm;
    lines.miss = values.miss;
    lines.hold = std::min(values.hold, values.miss);
    std::map<std::uint64_t, std::set<std::uint64_t>> by_set;
    const auto sets = static_cast<std::uint64_t>(values.sets);
    for (const assembly::Instruction& instruction : function.instructions) {
        std::set<std::uint64_t> of_one;
        each_operand(instruction, [&](const ConstantOperand& constant) {
            constexpr std::int64_t bank = 65536;
            if (has_address_in_register(constant)) return;
            const std::int64_t address = constant.bank * bank + constant.offset;
            of_one.insert(static_cast<std::uint64_t>(address / values.line));
        });
        for (const std::uint64_t line : of_one)
            by_set[line % sets].insert(line);
        lines.of_instruction.emplace_back(of_one.begin(), of_one.end());
    }
    for (const auto& [set, members] : by_set)
        if (static_cast<std::int64_t>(members.size()) <= values.fewest_ways)
            lines.persistent.insert(lines.persistent.end(), members.begin(), members.end());
    std::sort(lines.persistent.begin(), lines.persistent.end());
    for (const auto& of_one : lines.of_instruction)
        lines.may_be_replaced.push_back(!std::includes(
            lines.persistent.begin(), lines.persistent.end(), of_one.begin(), of_one.end()));
    return lines;
}

} // namespace

bool OperandLines::may_miss() const {
    return (!are_warm && !persistent.empty()) ||
           std::find(may_be_replaced.begin(), may_be_replaced.end(), true) != may_be_replaced.end();
}

std::int64_t OperandLines::first_uses(const std::vector<bool>& instructions) const {
    if (are_warm) return 0;
    std::set<std::uint64_t> used;
    for (std::size_t i = 0; i < of_instruction.size(); ++i)
        if (instructions[i]) used.insert(of_instruction[i].begin(), of_instruction[i].end());
    return std::count_if(persistent.begin(), persistent.end(),
                         [&](std::uint64_t line) { return used.count(line) != 0; });
}

bool bounds_operand_misses_without_conservation(const Request& request) {
    const auto values = values_of(*request.architecture);
    if (!values) return false;
    const OperandLines lines = lines_of_text(*request.function, values.value());
    const bool persist = std::find(lines.may_be_replaced.begin(), lines.may_be_replaced.end(),
                                   true) == lines.may_be_replaced.end();
    const bool is_limited =
        models::guarantee_of(request.policy) == models::PolicyGuarantee::SetLimited;
    return !lines.may_miss() || (persist && is_limited);
}

Result<std::optional<OperandLines>> operand_lines(const Request& request,
                                                  const std::vector<bool>& used) {
    if (!request.architecture->has_operand_caches()) return std::optional<OperandLines>{};
    const auto values = values_of(*request.architecture);
    if (!values) return values.as_failure();
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        const assembly::Instruction& instruction = request.function->instructions[i];
        bool is_known = true;
        each_operand(instruction, [&](const ConstantOperand& constant) {
            is_known = is_known && !has_address_in_register(constant);
        });
        if (!is_known)
            return Failure{fmt::format("{}: the address of its constant is in a register, and with "
                                       "memories/constant described no bound covers that; to leave "
                                       "these caches out under an unchecked assumption: --assume "
                                       "memories/constant=none",
                                       assembly::place_of(*request.function, instruction)),
                           request.function->name, instruction.position.line,
                           instruction.position.column};
    }
    return std::optional{lines_of_text(*request.function, values.value())};
}

} // namespace warpbound::analyzer
