// Values of forms (C89, C90), from the operands of each instruction and the values of the
// description.

#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace warpbound::tests {

namespace {

using assembly::Instruction;

/// Names of the registers that the only address of an instruction adds: "R", "U", "RU", "".
/// Nothing for several addresses or none.
std::optional<std::string> address_registers(const Instruction& code) {
    std::optional<std::string> found;
    for (const assembly::Operand& operand : code.operands) {
        std::string here;
        if (const auto* memory = std::get_if<assembly::MemoryOperand>(&operand)) {
            if (memory->base && memory->base->index) here += "R";
            if (memory->uniform && memory->uniform->index) here += "U";
        } else if (const auto* constant = std::get_if<assembly::ConstantOperand>(&operand)) {
            if (constant->index_register) here += *constant->index_register < 0 ? "Z" : "R";
            if (constant->uniform_register || constant->bank_register) here += "U";
        } else {
            continue;
        }
        if (found) return std::nullopt;
        found = here;
    }
    return found;
}

int words_of(const Instruction& code) {
    if (code.has_modifier("128")) return 4;
    return code.has_modifier("64") ? 2 : 1;
}

/// The name of its form; empty without one.
std::string form_of(const Instruction& code) {
    const std::string& name = code.mnemonic;
    if (name == "LDGSTS") return "copy";
    const bool is_constant = name == "LDC";
    if (!is_constant && name != "LDG" && name != "STG" && name != "LDS" && name != "STS") return {};
    for (const char* other : {"U8", "S8", "U16", "S16", "256", "STRONG", "MMIO"})
        if (code.has_modifier(other)) return {};
    const auto registers = address_registers(code);
    const std::string width = "-" + std::to_string(32 * words_of(code));
    if (registers == "R") return "regular" + width;
    if (!is_constant && registers == "U") return "uniform" + width;
    return is_constant && registers == "" ? "immediate" + width : std::string{};
}

class FormChecker {
public:
    explicit FormChecker(RecordedLaunch& run) : run_{run} {}

    void check(const Issue& issue, const Issue* next) {
        const Instruction& code = run_.instruction(issue);
        check_fence(issue, code, next);
        const std::string form = form_of(code);
        if (form.empty() || !issue.event.executed) return;
        const models::ValueGroup& of_class = run_.machine.classes.at(code.opcode_class).values;
        const bool from_level = code.opcode_class == assembly::OpcodeClass::LoadGlobal;
        const auto* fact = run_.kernel.facts->memory_at(code.address);
        const auto* l1 = run_.machine.memory("l1");
        const bool hits =
            fact != nullptr && fact->level == models::MemoryLevel::L1 && l1 != nullptr;
        if (!from_level)
            check_times(issue, issue.due, of_class.find("latency-" + form), "C89: completes");
        else if (hits && !run_.timing(issue).through_caches)
            check_times(issue, issue.due, l1->find("latency-" + form), "C89: completes");
        check_times(issue, issue.sources_due, of_class.find("source-read-" + form),
                    "C89: has read its sources");
    }

private:
    /// What the transactions that the width needs may be of a value that was measured with them:
    /// also where the instruction takes fewer, but for LDC.
    std::int64_t least_within(const Issue& issue) const {
        const Instruction& code = run_.instruction(issue);
        const auto* cost = run_.machine.classes.at(code.opcode_class).values.find("pass-cost");
        if (cost == nullptr) return 0;
        const std::int64_t words = words_of(code);
        const bool is_constant = code.mnemonic == "LDC";
        const auto passes =
            is_constant ? std::min<std::int64_t>(words, run_.timing(issue).passes.hi) : words;
        return (passes - 1) * cost->interval->lo;
    }

    void check_times(const Issue& issue, const std::vector<std::int64_t>& cycles,
                     const models::SourcedValue* value, const char* what) {
        if (value == nullptr) return;
        const auto& timing = run_.timing(issue);
        const auto n = issue.event.passes;
        const auto lo = std::max<std::int64_t>(0, value->interval->lo - least_within(issue));
        // Neither is before the hand-over from a queue, as far as other checks say.
        const auto least = issue.handed_over.empty() ? 0 : issue.handed_over.front().entry;
        for (const std::int64_t cycle : cycles) {
            const std::int64_t took = cycle - run_.begin_of(issue);
            if (took < lo + (n - 1) * timing.pass_cost.lo ||
                took > std::max(least, value->interval->hi + (n - 1) * timing.pass_cost.hi))
                run_.report_issue(issue, fmt::format("{} after {}", what, took));
        }
    }

    /// C90
    void check_fence(const Issue& issue, const Instruction& code, const Issue* next) {
        if (code.mnemonic != "MEMBAR" || run_.machine.target.sm < 70 || next == nullptr ||
            assembly::is_guarded(code))
            return;
        const auto& values = run_.machine.classes.at(code.opcode_class).values;
        const models::SourcedValue* value = nullptr;
        for (const auto& [modifier, name] :
             {std::pair{"CTA", "latency-cta"}, {"GPU", "latency-gpu"}, {"SYS", "latency-sys"}})
            if (code.has_modifier(modifier)) value = values.find(name);
        if (value == nullptr) value = values.find("latency");
        if (next->event.cycle < issue.event.cycle + value->interval->lo)
            run_.report_issue(issue,
                              fmt::format("C90: the next issue is at {}", next->event.cycle));
    }

    RecordedLaunch& run_;
};

} // namespace

void check_forms(RecordedLaunch& run) {
    FormChecker checks{run};
    for (const WarpRecord& warp : run.warps)
        for (std::size_t i = 0; i < warp.issues.size(); ++i)
            checks.check(warp.issues[i],
                         i + 1 < warp.issues.size() ? &warp.issues[i + 1] : nullptr);
}

} // namespace warpbound::tests
