#include "analyzer/flow/coalescing.hpp"

#include "models/architecture/pass_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;

/// What is known of all registers before each instruction of each block.
class Code {
public:
    Code(const Function& function, const ControlFlowGraph& graph,
         const ThreadArithmetic& arithmetic)
        : function_{function}, graph_{graph}, arithmetic_{arithmetic}, starts_(graph.blocks.size()),
          origins_(graph.blocks.size()) {
        Origin next = 1; // Each block: where ways meet, then its instructions.
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            origins_[block] = next;
            next += graph.blocks[block].last - graph.blocks[block].first + 2;
        }
        follow();
    }

    /// Calls visit(block, instruction, registers before it, origin of what it computes).
    template <class Visit> void for_each(const Visit& visit) const {
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            if (!starts_[block]) continue;
            ThreadRegisters registers = *starts_[block];
            execute(block, registers, visit);
        }
    }

private:
    template <class Visit>
    void execute(std::size_t block, ThreadRegisters& registers, const Visit& visit) const {
        const auto& code = graph_.blocks[block];
        for (std::size_t i = code.first; i <= code.last; ++i) {
            const Origin origin = origins_[block] + 1 + (i - code.first);
            visit(block, i, registers, origin);
            registers.execute(function_.instructions[i], origin);
        }
    }

    /// What is known only ever becomes less, so this ends.
    void follow() {
        starts_[0].emplace(arithmetic_);
        std::vector<bool> open(graph_.blocks.size(), false);
        open[0] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
                if (!open[block]) continue;
                open[block] = false;
                changed = true;
                ThreadRegisters registers = *starts_[block];
                execute(block, registers, [](auto&&...) {});
                for (const std::size_t edge : graph_.blocks[block].out) {
                    const std::size_t to = graph_.edges[edge].to;
                    if (!starts_[to]) {
                        starts_[to] = registers;
                        open[to] = true;
                        continue;
                    }
                    ThreadRegisters joined = *starts_[to];
                    joined.join(registers, origins_[to]);
                    if (joined == *starts_[to]) continue;
                    starts_[to] = std::move(joined);
                    open[to] = true;
                }
            }
        }
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const ThreadArithmetic& arithmetic_;
    std::vector<std::optional<ThreadRegisters>> starts_; ///< [block]
    std::vector<Origin> origins_;                        ///< [block]
};

/// How its lanes decide what a predicate decides there; nothing where none does.
std::optional<Choice> choice_at(const Instruction& instruction, const ThreadRegisters& registers,
                                const ThreadArithmetic& arithmetic) {
    std::optional<Choice> choice;
    const auto meet = [&](const std::optional<ThreadPredicate>& predicate) {
        const Choice here = !predicate                          ? Choice::Unknown
                            : arithmetic.is_uniform(*predicate) ? Choice::Alike
                                                                : Choice::Differently;
        choice = choice ? std::max(*choice, here) : here;
    };
    if (is_guarded(instruction)) meet(registers.truth(instruction.guard->predicate));
    const ControlFlow flow = instruction.control_flow;
    if (flow == ControlFlow::None || flow == ControlFlow::Exit) return choice;
    // Operands of a branch decide as well: predicates, a register with its target.
    for (const assembly::Register reg : instruction.effects.reads) {
        if (instruction.guard && instruction.guard->predicate.index &&
            reg == assembly::Register{instruction.guard->predicate.file,
                                      *instruction.guard->predicate.index})
            continue;
        if (reg.file == assembly::RegisterFile::Barrier) continue;
        const Choice here = registers.is_uniform(reg) ? Choice::Alike : Choice::Unknown;
        choice = choice ? std::max(*choice, here) : here;
    }
    return choice;
}

/// By which sizes an access takes its passes; nothing for what this version does not know, and
/// where the description does not say them, which is then `missing`.
std::optional<models::AccessRule> rule_of(const Instruction& instruction,
                                          const models::Architecture& architecture,
                                          std::int64_t warp_size, std::set<std::string>& missing) {
    using models::PassRule;
    models::AccessRule rule{.rule = models::pass_rule(instruction)};
    const auto space =
        instruction.effects.memory ? instruction.effects.memory->space : assembly::StateSpace::None;
    if (!instruction.effects.exact ||
        (space != assembly::StateSpace::Shared && space != assembly::StateSpace::Global))
        return std::nullopt;
    // Others have lanes that name rows, or two addresses.
    constexpr std::array<std::string_view, 7> by_lane{"LDS", "STS",   "ATOMS", "LDG",
                                                      "STG", "ATOMG", "RED"};
    if (std::find(by_lane.begin(), by_lane.end(), instruction.mnemonic) == by_lane.end())
        return std::nullopt;
    rule.bytes = static_cast<std::uint64_t>(instruction.effects.memory->bytes_per_lane);
    const auto read = [&](const char* memory, const char* name, std::uint64_t& size) {
        const models::ValueGroup* group = architecture.memory(memory);
        const models::SourcedValue* value = group == nullptr ? nullptr : group->find(name);
        if (value != nullptr && value->interval && value->interval->lo == value->interval->hi)
            size = static_cast<std::uint64_t>(value->interval->hi);
        else
            missing.insert(fmt::format("memories/{}/{}", memory, name));
    };
    if (uses_banks(rule.rule)) {
        read("shared", "banks", rule.banks);
        read("shared", "bank-width", rule.width);
    } else if (rule.rule == PassRule::Lines || rule.rule == PassRule::GlobalAtomic) {
        read("l1", "line", rule.line);
    } else {
        return std::nullopt;
    }
    if (!std::has_single_bit(rule.bytes) || models::objection_to(rule, warp_size))
        return std::nullopt;
    return rule;
}

void widen(std::optional<models::PassRange>& range, std::int64_t passes) {
    if (!range) range = models::PassRange{passes, passes};
    range->lo = std::min(range->lo, passes);
    range->hi = std::max(range->hi, passes);
}

/// Passes over all warps of a block, all lanes of which take part; nothing where they do not
/// follow.
class Passes {
public:
    Passes(const models::AccessRule& rule, const ThreadArithmetic& arithmetic,
           const ThreadNumber& address)
        : rule_{rule}, arithmetic_{arithmetic}, address_{address}, period_{uses_banks(rule.rule)
                                                                               ? rule.banks *
                                                                                     rule.width
                                                                               : rule.line} {}

    [[nodiscard]] std::optional<models::PassRange> range() const {
        std::optional<models::PassRange> range;
        for (std::size_t first = 0; first < arithmetic_.threads();
             first += arithmetic_.warp_size()) {
            const auto of_warp = warp_range(first);
            if (!of_warp) return std::nullopt;
            widen(range, of_warp->lo);
            widen(range, of_warp->hi);
        }
        return range;
    }

    [[nodiscard]] std::string reason() const {
        if (!address_.common())
            return fmt::format("the lowest {} bits of the lanes' addresses, which tell the bank",
                               address_.bits());
        const auto parts = groups_of(0);
        std::optional<std::int32_t> apart; // Neighbours in a group.
        bool evenly = true;
        for (std::size_t thread = 0; thread < arithmetic_.threads();
             thread += arithmetic_.warp_size())
            for (const auto& lanes : groups_of(thread))
                for (std::size_t i = 1; i < lanes.size(); ++i) {
                    const auto step =
                        static_cast<std::int32_t>(address_.offsets()[thread + lanes[i]] -
                                                  address_.offsets()[thread + lanes[i - 1]]);
                    evenly = evenly && step == apart.value_or(step);
                    apart = step;
                }
        const std::int32_t step = apart.value_or(0);
        std::string text =
            !evenly     ? "how far lanes lie apart follows from their places"
            : step == 0 ? "all lanes access one address"
                        : fmt::format("lanes lie {} byte{} apart", step, step == 1 ? "" : "s");
        if (parts.size() > 1)
            return fmt::format("of each of {} groups in a warp {}; how far the groups lie apart "
                               "is not known",
                               parts.size(), text);
        if (const auto passes = range(); passes && passes->lo != passes->hi && evenly)
            text += "; where the first one lies is not known";
        return text;
    }

private:
    using Lanes = std::vector<std::size_t>; ///< Of a warp.

    /// Of the warp that begins with a thread, the lanes that have something in common.
    [[nodiscard]] std::vector<Lanes> groups_of(std::size_t first) const {
        std::vector<Lanes> groups;
        const std::size_t lanes = std::min(arithmetic_.warp_size(), arithmetic_.threads() - first);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t group = address_.groups() ? (*address_.groups())[first + lane] : 0;
            if (group == groups.size()) groups.emplace_back();
            groups[group].push_back(lane);
        }
        return groups;
    }

    /// Words and lines of one group may be those of another one, or all different.
    [[nodiscard]] std::optional<models::PassRange> warp_range(std::size_t first) const {
        const auto by_banks = of_banks(first);
        if (!address_.common()) return by_banks;
        models::PassRange sum{1, 0};
        for (const Lanes& lanes : groups_of(first)) {
            const auto range = of_group(first, lanes);
            if (!range) return std::nullopt;
            sum.lo = std::max(sum.lo, range->lo);
            sum.hi += range->hi;
        }
        if (by_banks) sum.hi = std::max(sum.lo, std::min(sum.hi, by_banks->hi));
        return sum;
    }

    /// From each place that the first lane may have.
    [[nodiscard]] std::optional<models::PassRange> of_group(std::size_t first,
                                                            const Lanes& lanes) const {
        const auto offset = [&](std::size_t lane) { return address_.offsets()[first + lane]; };
        const std::uint64_t step = std::uint64_t{1} << std::min(address_.bits(), 31U);
        const std::uint64_t known = std::min(step, period_);
        std::optional<models::PassRange> range;
        for (std::uint64_t base = 0; base < period_; base += rule_.bytes) {
            if (base % known != offset(lanes.front()) % known) continue;
            models::LaneAddresses accessed;
            accessed.bytes = rule_.bytes;
            for (const std::size_t lane : lanes) {
                const auto away = static_cast<std::uint32_t>(offset(lane) - offset(lanes.front()));
                if (away % rule_.bytes != 0) return std::nullopt; // It is not aligned.
                accessed.active |= std::uint64_t{1} << lane;
                accessed.address[lane] = static_cast<std::uint32_t>(base + away);
            }
            widen(range, models::passes_of(rule_, accessed));
        }
        return range;
    }

    /// Each lane by itself: at most as if all accessed different words of their banks.
    [[nodiscard]] std::optional<models::PassRange> of_banks(std::size_t first) const {
        if (!uses_banks(rule_.rule) || address_.is_exact() ||
            std::uint64_t{1} << address_.bits() < period_)
            return std::nullopt;
        models::LaneAddresses accessed;
        accessed.bytes = rule_.bytes;
        const std::size_t lanes = std::min(arithmetic_.warp_size(), arithmetic_.threads() - first);
        accessed.active = models::all_lanes(static_cast<std::int64_t>(lanes));
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::uint64_t place = address_.offsets()[first + lane] % period_;
            if (place % rule_.bytes != 0) return std::nullopt;
            accessed.address[lane] = place + lane * period_;
        }
        return models::PassRange{1, models::passes_of(rule_, accessed)};
    }

    const models::AccessRule& rule_;
    const ThreadArithmetic& arithmetic_;
    const ThreadNumber& address_;
    std::uint64_t period_;
};

const assembly::MemoryOperand* memory_operand(const Instruction& instruction) {
    const assembly::MemoryOperand* found = nullptr;
    for (const auto& operand : instruction.operands)
        if (const auto* memory = std::get_if<assembly::MemoryOperand>(&operand)) {
            if (found != nullptr) return nullptr;
            found = memory;
        }
    return found;
}

/// What follows while lanes may or may not part.
class Derivation {
public:
    Derivation(const Function& function, const ControlFlowGraph& graph,
               const ThreadArithmetic& arithmetic, const models::Architecture& architecture)
        : function_{function}, graph_{graph}, arithmetic_{arithmetic},
          architecture_{architecture}, code_{function, graph, arithmetic} {
        facts_.choices.resize(function.instructions.size());
        code_.for_each([&](std::size_t, std::size_t i, const ThreadRegisters& registers, Origin) {
            const auto choice = choice_at(function.instructions[i], registers, arithmetic);
            auto& kept = facts_.choices[i];
            if (choice) kept = kept ? std::max(*kept, *choice) : *choice;
        });
    }

    /// No lane goes another way than the others of its warp that go on.
    [[nodiscard]] bool always_uniform() const {
        for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
            const ControlFlow flow = function_.instructions[i].control_flow;
            if (facts_.choices[i] && flow != ControlFlow::None && flow != ControlFlow::Exit &&
                facts_.choices[i] != Choice::Alike)
                return false;
        }
        return true;
    }

    /// `stated`: that lanes decide alike everywhere. Where the code says otherwise that is not
    /// used.
    ThreadFacts facts(bool stated) {
        const auto& choices = facts_.choices;
        find_passes(stated && std::find(choices.begin(), choices.end(), Choice::Differently) ==
                                  choices.end());
        return std::move(facts_);
    }

private:
    /// Whenever a warp executes an instruction all its lanes are still there.
    [[nodiscard]] bool all_stay() const {
        if (!always_uniform()) return false;
        for (std::size_t i = 0; i < function_.instructions.size(); ++i)
            if (function_.instructions[i].control_flow == ControlFlow::Exit && facts_.choices[i] &&
                facts_.choices[i] != Choice::Alike)
                return false;
        return true;
    }

    void find_passes(bool alike_everywhere) {
        struct Found {
            std::optional<models::PassRange> range;
            std::string reason;
            std::size_t copies = 0;
            bool known = true;
        };
        const bool stay = all_stay();
        std::vector<Found> found(function_.instructions.size());
        const auto warp_size = static_cast<std::int64_t>(arithmetic_.warp_size());
        code_.for_each(
            [&](std::size_t, std::size_t i, const ThreadRegisters& registers, Origin origin) {
                const Instruction& instruction = function_.instructions[i];
                const auto rule = rule_of(instruction, architecture_, warp_size, facts_.missing);
                const auto* operand = memory_operand(instruction);
                if (!rule || operand == nullptr) return;
                Found& access = found[i];
                ++access.copies;
                const auto address = registers.address(*operand, origin);
                if (!address) {
                    access.known = false;
                    return;
                }
                const Passes passes{*rule, arithmetic_, *address};
                const auto range = passes.range();
                access.known = access.known && range;
                if (!range) return;
                widen(access.range, range->lo);
                widen(access.range, range->hi);
                access.reason = passes.reason();
            });
        for (std::size_t i = 0; i < found.size(); ++i) {
            const Found& access = found[i];
            // Lanes of different calls may execute it together where they may part.
            if (!access.known || !access.range ||
                (access.copies > 1 && arithmetic_.lanes() == Lanes::MayPart))
                continue;
            models::PassRange range = *access.range;
            const bool alike = !facts_.choices[i] || facts_.choices[i] == Choice::Alike;
            // By no rule do fewer lanes need more passes.
            if (!alike_everywhere && !(stay && alike)) range.lo = 1;
            if (range.hi > most_passes) continue;
            facts_.passes.push_back({i, range, access.reason});
        }
    }

    static constexpr std::int64_t most_passes = 32; // That a flow fact states.

    const Function& function_;
    const ControlFlowGraph& graph_;
    const ThreadArithmetic& arithmetic_;
    const models::Architecture& architecture_;
    Code code_;
    ThreadFacts facts_;
};

} // namespace

ThreadFacts derive_thread_facts(const Function& function, const ControlFlowGraph& graph,
                                const BlockShape& shape, const models::Architecture& architecture,
                                Lanes lanes, const KernelParameters& words) {
    const models::SourcedValue* size = architecture.geometry.find("warp-size");
    ThreadFacts none;
    none.choices.resize(function.instructions.size());
    if (size == nullptr || !size->interval || size->interval->hi < 1 || shape.count() < 1)
        return none;
    const std::int64_t warp_size = size->interval->hi;
    // If no branch parts lanes that are together, by induction none ever does.
    const ThreadArithmetic together{shape, warp_size, Lanes::Together, words};
    Derivation whole{function, graph, together, architecture};
    const bool always_uniform = whole.always_uniform();
    if (always_uniform || lanes == Lanes::Together) {
        ThreadFacts facts = whole.facts(lanes == Lanes::Together);
        facts.always_uniform = always_uniform;
        return facts;
    }
    const ThreadArithmetic apart{shape, warp_size, Lanes::MayPart, words};
    return Derivation{function, graph, apart, architecture}.facts(false);
}

} // namespace warpbound::analyzer
