#include "certification/verify/execution/executed_facts.hpp"

#include "models/architecture/pass_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using assembly::ControlFlowGraph;
using harness::RecordedLanes;
using harness::RecordedWarp;
using harness::execution::ExecutedCode;
using models::FlowFacts;

constexpr std::size_t warp_lanes = static_cast<std::size_t>(harness::recorded_lane_count);

/// Blocks of the graph that a thread executed, in order; it ended behind the last one.
using ThreadPath = std::vector<std::size_t>;

/// A basic block executed by lanes together.
struct Visit {
    std::size_t block = 0;
    RecordedLanes lanes = 0;
};

std::vector<Visit> visits_of(const RecordedWarp& warp, const ControlFlowGraph& graph) {
    std::vector<Visit> visits;
    for (const auto& stretch : warp.stretches)
        if (stretch.first == graph.blocks[stretch.block].first)
            visits.push_back({stretch.block, stretch.lanes});
    return visits;
}

std::vector<ThreadPath> paths_of(const std::vector<Visit>& visits) {
    std::vector<ThreadPath> paths(warp_lanes);
    for (const Visit& visit : visits)
        for (std::size_t lane = 0; lane < warp_lanes; ++lane)
            if ((visit.lanes >> lane & 1U) != 0) paths[lane].push_back(visit.block);
    std::erase_if(paths, [](const ThreadPath& path) { return path.empty(); });
    return paths;
}

/// How often a path executes the header of a loop, each time that it enters the loop.
std::vector<std::int64_t> iterations_on(const ThreadPath& path, const assembly::Loop& loop) {
    std::vector<std::int64_t> counts;
    bool was_inside = false;
    for (const std::size_t block : path) {
        const bool is_inside = std::binary_search(loop.blocks.begin(), loop.blocks.end(), block);
        if (is_inside && !was_inside) counts.push_back(0);
        if (block == loop.header && !counts.empty()) ++counts.back();
        was_inside = is_inside;
    }
    return counts;
}

template <class Range, class Value> bool has(const Range& range, const Value& value) {
    return std::find(range.begin(), range.end(), value) != range.end();
}

/// The passes that C22 allows, by lines for global and by banks for shared memory.
std::optional<models::PassRange> passes_at(const assembly::Instruction& instruction,
                                           const models::Architecture& architecture,
                                           const models::LaneAddresses& lanes) {
    const auto size = [&](const char* memory, const char* value) -> std::uint64_t {
        const auto* found = architecture.memory(memory);
        const auto* number = found == nullptr ? nullptr : found->find(value);
        const bool is_known = number != nullptr && number->interval && number->interval->is_exact();
        return is_known ? static_cast<std::uint64_t>(number->interval->lo) : 0;
    };
    models::AccessRule rule;
    rule.rule = models::pass_rule(instruction);
    rule.bytes = lanes.bytes;
    if (models::uses_banks(rule.rule)) {
        rule.banks = size("shared", "banks");
        rule.width = size("shared", "bank-width");
        if (rule.banks == 0 || rule.width == 0) return std::nullopt;
    } else {
        rule.line = size("l1", "line");
        if (rule.line == 0) return std::nullopt;
        if (rule.rule == models::PassRule::GlobalAtomic)
            rule.sector = models::sector_of_atomics(architecture);
    }
    if (models::objection_to(rule, harness::recorded_lane_count)) return std::nullopt;
    return models::possible_passes(rule, lanes);
}

/// One kind of fact after the other; keeps the first contradiction.
class Comparison {
public:
    Comparison(const ExecutedCode& code, const models::Architecture& architecture,
               const FlowFacts& facts)
        : code_{code}, graph_{*code.graph}, architecture_{architecture}, facts_{facts} {}

    /// `is_represented`: the thread block lies in the box of the representatives.
    std::string of_warp(const RecordedWarp& warp, bool is_represented) {
        const auto visits = visits_of(warp, graph_);
        compare_uniform(visits);
        compare_issues(warp);
        bool has_representative = false;
        for (const ThreadPath& path : paths_of(visits)) {
            compare_path(path);
            has_representative = has_representative || (is_represented && represents(path));
        }
        if (is_represented && !has_representative)
            report("no thread of a warp is its representative");
        return first_;
    }

private:
    void report(std::string what) {
        if (first_.empty()) first_ = std::move(what);
    }

    [[nodiscard]] std::int64_t address(std::size_t block) const {
        return graph_.blocks[block].address;
    }

    void compare_path(const ThreadPath& path) {
        std::map<std::int64_t, std::int64_t> executed;
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> taken;
        for (std::size_t i = 0; i < path.size(); ++i) {
            ++executed[address(path[i])];
            if (i > 0) ++taken[{address(path[i - 1]), address(path[i])}];
        }
        for (const auto& never : facts_.nevers)
            if (executed.contains(never.block))
                report(fmt::format("the block at 0x{:04x} is executed", never.block));
        for (const auto& pair : facts_.exclusives)
            if (executed.contains(pair.first) && executed.contains(pair.second))
                report(fmt::format("a thread executes both 0x{:04x} and 0x{:04x}", pair.first,
                                   pair.second));
        for (const auto& fact : facts_.constraints)
            compare_relation(fact, executed, taken);
        compare_loops(path);
    }

    template <class Executed, class Taken>
    void compare_relation(const models::LinearFact& fact, const Executed& executed,
                          const Taken& taken) {
        const auto count = [](const auto& counts, const auto& of) -> std::int64_t {
            const auto found = counts.find(of);
            return found == counts.end() ? 0 : found->second;
        };
        std::int64_t sum = 0;
        for (const auto& term : fact.terms)
            sum += term.coefficient * (term.from ? count(taken, std::pair{*term.from, term.block})
                                                 : count(executed, term.block));
        const bool holds = fact.relation == models::Relation::AtMost    ? sum <= fact.constant
                           : fact.relation == models::Relation::AtLeast ? sum >= fact.constant
                                                                        : sum == fact.constant;
        if (!holds && !fact.terms.empty())
            report(fmt::format("a thread makes the sum of the relation on 0x{:04x} {}",
                               fact.terms.front().block, sum));
    }

    void compare_loops(const ThreadPath& path) {
        for (const auto& fact : facts_.loops)
            for (const auto& loop : graph_.loops) {
                if (address(loop.header) != fact.header) continue;
                for (const std::int64_t count : iterations_on(path, loop))
                    if (count < fact.min || count > fact.max)
                        report(fmt::format("a thread executes the header of the loop at 0x{:04x} "
                                           "{} times; the fact says {} to {}",
                                           fact.header, count, fact.min, fact.max));
            }
    }

    /// Behind a uniform branch or EXIT all lanes go on to the same block, or end together.
    void compare_uniform(const std::vector<Visit>& visits) {
        std::array<std::optional<std::size_t>, warp_lanes> last; // Visit.
        std::vector<std::set<std::optional<std::size_t>>> next(visits.size());
        for (std::size_t number = 0; number < visits.size(); ++number)
            for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
                if ((visits[number].lanes >> lane & 1U) == 0) continue;
                if (last.at(lane)) next[*last.at(lane)].insert(visits[number].block);
                last.at(lane) = number;
            }
        for (const auto& ended : last)
            if (ended) next[*ended].insert(std::nullopt);
        for (std::size_t number = 0; number < visits.size(); ++number) {
            const std::size_t end = graph_.blocks[visits[number].block].last;
            const std::int64_t at = code_.function->instructions[end].address;
            if (next[number].size() > 1 && facts_.is_uniform(at)) decided_differently(at);
        }
    }

    void decided_differently(std::int64_t at) {
        report(
            fmt::format("lanes decide differently at 0x{:04x}, which is said to be uniform", at));
    }

    /// Guards of what does not transfer control, and the passes of accesses.
    void compare_issues(const RecordedWarp& warp) {
        std::size_t guard = 0;
        std::size_t access = 0;
        for (const auto& stretch : warp.stretches)
            for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
                const auto& operation = code_.operations[i];
                const auto& instruction = code_.function->instructions[i];
                const bool never = instruction.guard && instruction.guard->never();
                RecordedLanes executing = never ? 0 : stretch.lanes;
                if (operation.guard_decides) {
                    executing = warp.executing[guard++];
                    if (executing != 0 && executing != stretch.lanes &&
                        facts_.is_uniform(instruction.address))
                        decided_differently(instruction.address);
                }
                if (executing == 0 || operation.perform == nullptr || !operation.records_access)
                    continue;
                const auto& memory = instruction.effects.memory;
                const int bytes = memory ? std::max(1, memory->bytes_per_lane) : 4;
                compare_access(instruction,
                               warp.addresses(access++, static_cast<std::uint64_t>(bytes)));
            }
    }

    void compare_access(const assembly::Instruction& instruction,
                        const models::LaneAddresses& lanes) {
        const auto* fact = facts_.memory_at(instruction.address);
        if (fact == nullptr || lanes.active == 0) return;
        const bool uses_banks = models::uses_banks(models::pass_rule(instruction));
        const auto& said = uses_banks ? fact->conflict_degree : fact->transactions;
        if (!said) return;
        const auto passes = passes_at(instruction, architecture_, lanes);
        if (passes && (passes->lo < said->min || passes->hi > said->max))
            report(fmt::format("the access at 0x{:04x} takes {} to {} {}; the fact says {} to {}",
                               instruction.address, passes->lo, passes->hi,
                               uses_banks ? "bank conflicts" : "transactions", said->min,
                               said->max));
    }

    [[nodiscard]] bool represents(const ThreadPath& path) const {
        const auto& fact = *facts_.representative;
        if (has(fact.ends, address(path.back()))) return false;
        for (std::size_t i = 1; i < path.size(); ++i)
            if (has(fact.edges, std::pair{address(path[i - 1]), address(path[i])})) return false;
        return true;
    }

    const ExecutedCode& code_;
    const ControlFlowGraph& graph_;
    const models::Architecture& architecture_;
    const FlowFacts& facts_;
    std::string first_;
};

} // namespace

std::string ExecutedFacts::contradicted(const FlowFacts& facts, const harness::RecordedBlock& block,
                                        std::int64_t number) const {
    const bool is_represented =
        facts.representative && facts.representative->has(number, launch_.grid);
    Comparison comparison{code_, architecture_, facts};
    for (const RecordedWarp& warp : block.warps) {
        const std::string what = comparison.of_warp(warp, is_represented);
        if (!what.empty()) return fmt::format("thread block {}: {}", number, what);
    }
    return {};
}

} // namespace warpbound::certification::verify
