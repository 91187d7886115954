#include "analyzer/flow/coalescing.hpp"

#include "models/architecture/pass_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;

/// Every address of a first lane is tried, modulo the banks or the line. No machine has more; of a
/// description that says so nothing is derived. `Unit:` bytes.
constexpr std::uint64_t most_bytes_tried = std::uint64_t{1} << 16U;

/// The sizes that determine the transactions of an access; nothing for an access that is not
/// modelled, or where the description lacks a size, which is then added to `missing`.
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
    // Other instructions address rows of matrices.
    constexpr std::array<std::string_view, 8> one_address_per_lane{"LDS",    "STS", "ATOMS", "LDG",
                                                                   "LDGSTS", "STG", "ATOMG", "RED"};
    if (std::find(one_address_per_lane.begin(), one_address_per_lane.end(), instruction.mnemonic) ==
        one_address_per_lane.end())
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
        if (rule.rule == PassRule::GlobalAtomic)
            rule.sector = models::sector_of_atomics(architecture);
        // The upper end is at least the bank degree, which several lanes of a line may exceed.
        rule.lines_per_pass = models::lines_per_pass_of(instruction, architecture);
        if (rule.lines_per_pass > 1) {
            read("shared", "banks", rule.banks);
            read("shared", "bank-width", rule.width);
        }
    } else {
        return std::nullopt;
    }
    if (!std::has_single_bit(rule.bytes) || models::objection_to(rule, warp_size) ||
        std::max(rule.banks * rule.width, rule.line) > most_bytes_tried)
        return std::nullopt;
    return rule;
}

/// Whether the time that the access drains depends on its sectors (C94).
bool drains_by_sectors(const Instruction& instruction, const models::Architecture& architecture) {
    return instruction.mnemonic == "STG" &&
           architecture.write_buffer.find("sector-drain") != nullptr;
}

/// Sectors are counted like lines of their size.
std::optional<models::AccessRule> rule_of_sectors(models::AccessRule rule,
                                                  const Instruction& instruction,
                                                  const models::Architecture& architecture) {
    const models::ValueGroup* const l1 = architecture.memory("l1");
    const models::SourcedValue* const sector = l1 == nullptr ? nullptr : l1->find("sector");
    if (!drains_by_sectors(instruction, architecture) || sector == nullptr || !sector->interval ||
        sector->interval->lo != sector->interval->hi)
        return std::nullopt;
    rule.line = static_cast<std::uint64_t>(sector->interval->hi);
    if (!std::has_single_bit(rule.line) || rule.line < rule.bytes) return std::nullopt;
    return rule;
}

void widen(std::optional<models::PassRange>& range, std::int64_t transactions) {
    if (!range) range = models::PassRange{transactions, transactions};
    range->lo = std::min(range->lo, transactions);
    range->hi = std::max(range->hi, transactions);
}

/// Transactions of an access in the warps of a block, with all lanes active.
class WarpTransactions {
public:
    /// `is_aligned`: the hardware refuses addresses that are no multiples of the lane's bytes.
    WarpTransactions(const models::AccessRule& rule, const ThreadArithmetic& arithmetic,
                     const ThreadNumber& address, bool is_aligned)
        : rule_{rule}, arithmetic_{arithmetic}, address_{address}, is_aligned_{is_aligned},
          // All are powers of two; those that do not count are 0.
          period_{std::max(rule.banks * rule.width, rule.line)} {}

    /// Over all warps; nothing where it does not follow.
    [[nodiscard]] std::optional<models::PassRange> range() const {
        std::optional<models::PassRange> range;
        for (std::size_t first = 0; first < arithmetic_.threads();
             first += arithmetic_.warp_size()) {
            const auto in_warp = warp_range(first);
            if (!in_warp) return std::nullopt;
            widen(range, in_warp->lo);
            widen(range, in_warp->hi);
        }
        return range;
    }

    [[nodiscard]] std::string reason() const {
        if (!address_.base())
            return fmt::format(
                "the lowest {} bits of the lanes' addresses are known, which determine the bank",
                address_.bits());
        const auto groups = groups_of(0);
        std::optional<std::int32_t> stride; // Between neighbours in a group.
        bool constant_stride = true;
        for (std::size_t thread = 0; thread < arithmetic_.threads();
             thread += arithmetic_.warp_size())
            for (const auto& lanes : groups_of(thread))
                for (std::size_t i = 1; i < lanes.size(); ++i) {
                    const auto difference =
                        static_cast<std::int32_t>(address_.offsets()[thread + lanes[i]] -
                                                  address_.offsets()[thread + lanes[i - 1]]);
                    constant_stride = constant_stride && difference == stride.value_or(difference);
                    stride = difference;
                }
        const std::int32_t bytes = stride.value_or(0);
        std::string text = !constant_stride ? "the distances between the lanes' addresses are known"
                           : bytes == 0     ? "all lanes access one address"
                                        : fmt::format("adjacent lanes are {} byte{} apart", bytes,
                                                      bytes == 1 ? "" : "s");
        if (groups.size() > 1)
            return fmt::format("in each of {} groups of a warp's lanes, {}; the distances between "
                               "the groups are not known",
                               groups.size(), text);
        if (const auto all = range(); all && all->lo != all->hi && constant_stride)
            text += "; the address of the first lane is not known";
        return text;
    }

private:
    using LaneGroup = std::vector<std::size_t>; ///< Lanes of one warp.

    /// The groups of lanes with a common base, in the warp whose first thread is `first`.
    [[nodiscard]] std::vector<LaneGroup> groups_of(std::size_t first) const {
        std::vector<LaneGroup> groups;
        const std::size_t lanes = std::min(arithmetic_.warp_size(), arithmetic_.threads() - first);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t group = address_.groups() ? (*address_.groups())[first + lane] : 0;
            if (group == groups.size()) groups.emplace_back();
            groups[group].push_back(lane);
        }
        return groups;
    }

    /// Groups may access the same words and lines, or all different ones: from the largest group's
    /// transactions to the sum over the groups.
    [[nodiscard]] std::optional<models::PassRange> warp_range(std::size_t first) const {
        const auto by_banks = bank_range(first);
        if (!address_.base()) return by_banks;
        models::PassRange sum{1, 0};
        for (const LaneGroup& lanes : groups_of(first)) {
            const auto range = group_range(first, lanes);
            if (!range) return std::nullopt;
            sum.lo = std::max(sum.lo, range->lo);
            sum.hi += range->hi;
        }
        if (by_banks) sum.hi = std::max(sum.lo, std::min(sum.hi, by_banks->hi));
        return sum;
    }

    /// Over all possible addresses of the group's first lane, modulo the period of banks or lines.
    [[nodiscard]] std::optional<models::PassRange> group_range(std::size_t first,
                                                               const LaneGroup& lanes) const {
        const auto offset = [&](std::size_t lane) { return address_.offsets()[first + lane]; };
        const std::uint64_t step = std::uint64_t{1} << std::min(address_.bits(), 31U);
        const std::uint64_t known = std::min(step, period_);
        std::optional<models::PassRange> range;
        for (std::uint64_t base = 0; base < period_; base += is_aligned_ ? rule_.bytes : 1) {
            if (base % known != offset(lanes.front()) % known) continue;
            models::LaneAddresses accessed;
            accessed.bytes = rule_.bytes;
            for (const std::size_t lane : lanes) {
                const auto distance =
                    static_cast<std::uint32_t>(offset(lane) - offset(lanes.front()));
                if (is_aligned_ && distance % rule_.bytes != 0) return std::nullopt;
                accessed.active |= std::uint64_t{1} << lane;
                accessed.address[lane] = static_cast<std::uint32_t>(base + distance);
            }
            widen(range, models::passes_of(rule_, accessed));
            widen(range, models::possible_passes(rule_, accessed).hi);
        }
        return range;
    }

    /// From the bank of each lane alone: at most as if all lanes accessed different words.
    [[nodiscard]] std::optional<models::PassRange> bank_range(std::size_t first) const {
        if (!uses_banks(rule_.rule) || address_.is_exact() ||
            std::uint64_t{1} << address_.bits() < period_)
            return std::nullopt;
        models::LaneAddresses accessed;
        accessed.bytes = rule_.bytes;
        const std::size_t lanes = std::min(arithmetic_.warp_size(), arithmetic_.threads() - first);
        accessed.active = models::all_lanes(static_cast<std::int64_t>(lanes));
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::uint64_t in_period = address_.offsets()[first + lane] % period_;
            if (in_period % rule_.bytes != 0) return std::nullopt;
            accessed.address[lane] = in_period + lane * period_;
        }
        return models::PassRange{1, models::passes_of(rule_, accessed)};
    }

    const models::AccessRule& rule_;
    const ThreadArithmetic& arithmetic_;
    const ThreadNumber& address_;
    bool is_aligned_;
    std::uint64_t period_;
};

/// The memory operand whose addresses decide the transactions: the only one, of LDGSTS the second,
/// that of global memory (C56); null where there is none.
const assembly::MemoryOperand* counted_operand(const Instruction& instruction) {
    std::vector<const assembly::MemoryOperand*> found;
    for (const auto& operand : instruction.operands)
        if (const auto* memory = std::get_if<assembly::MemoryOperand>(&operand))
            found.push_back(memory);
    const std::size_t expected = instruction.mnemonic == "LDGSTS" ? 2 : 1;
    return found.size() == expected ? found.back() : nullptr;
}

/// Whether an access counts its transactions, and at most one lane of a warp executes it.
bool holds_for_one_lane(const Instruction& instruction, const ThreadRegisters& registers) {
    const models::PassRule rule = models::pass_rule(instruction);
    if (!assembly::is_guarded(instruction) || !instruction.effects.exact ||
        rule == models::PassRule::None || rule == models::PassRule::Words)
        return false;
    const assembly::RegisterOperand& guard = instruction.guard->predicate;
    return guard.index && !guard.negated && registers.elects_one_lane({guard.file, *guard.index});
}

/// What follows of one instruction, over all call contexts.
struct AccessTransactions {
    std::optional<models::PassRange> range;
    std::int64_t most_sectors = 0;
    std::string reason;
    std::size_t contexts = 0;
    bool known = true;
};

/// That a flow fact can state.
std::int64_t most_transactions(const assembly::Function& function) {
    return is_amd(function.target) ? 128 : 32;
}

} // namespace

CoalescingFacts derive_transactions(const ThreadStates& states,
                                    const InstructionUniformity& uniformity,
                                    const models::Architecture& architecture) {
    CoalescingFacts facts;
    const auto& function = states.function();
    const ThreadArithmetic& arithmetic = states.arithmetic();
    const bool no_lane_exits_early = branches_and_exits_are_uniform(function, uniformity);
    std::vector<AccessTransactions> found(function.instructions.size());
    const auto warp_size = static_cast<std::int64_t>(arithmetic.warp_size());
    states.for_each([&](std::size_t i, const ThreadRegisters& registers, Origin origin) {
        const Instruction& instruction = function.instructions[i];
        if (holds_for_one_lane(instruction, registers)) {
            ++found[i].contexts;
            widen(found[i].range, 1);
            if (drains_by_sectors(instruction, architecture))
                found[i].most_sectors = std::max<std::int64_t>(found[i].most_sectors, 1);
            found[i].reason = "its guard holds for at most one lane of a warp";
            return;
        }
        const auto rule = rule_of(instruction, architecture, warp_size, facts.missing);
        const auto* operand = counted_operand(instruction);
        if (!rule || operand == nullptr) return;
        AccessTransactions& access = found[i];
        ++access.contexts;
        const auto address = registers.address(*operand, instruction.guard, origin);
        if (!address) {
            access.known = false;
            return;
        }
        const bool is_aligned = !is_amd(function.target);
        const WarpTransactions transactions{*rule, arithmetic, *address, is_aligned};
        const auto range = transactions.range();
        access.known = access.known && range;
        if (!range) return;
        widen(access.range, range->lo);
        widen(access.range, range->hi);
        access.reason = transactions.reason();
        if (auto sectors = rule_of_sectors(*rule, instruction, architecture))
            if (const auto touched =
                    WarpTransactions{*sectors, arithmetic, *address, is_aligned}.range())
                access.most_sectors = std::max(access.most_sectors, touched->hi);
    });
    const std::int64_t most = most_transactions(function);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const AccessTransactions& access = found[i];
        // In a diverging warp, lanes of different call contexts may execute it together.
        if (!access.known || !access.range || (access.contexts > 1 && states.may_diverge()))
            continue;
        models::PassRange range = *access.range;
        const bool uniform_guard = !uniformity[i] || uniformity[i] == Uniformity::Uniform;
        // The number of transactions is monotone in the set of active lanes.
        if (!no_lane_exits_early || !uniform_guard) range.lo = 1;
        if (range.hi > most) continue;
        const std::int64_t sectors = access.most_sectors > most ? 0 : access.most_sectors;
        facts.transactions.push_back({i, range, sectors, access.reason});
    }
    return facts;
}

} // namespace warpbound::analyzer
