#include "certification/verify/interference/barrier_intervals.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/flow/path_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace warpbound::certification::verify {

namespace {

/// Paths that pay in one barrier interval only. Each block has three nodes, in this order: before
/// that interval, in it, and after it. Node 0 is the start, before the interval or in it.
class IntervalTable {
public:
    explicit IntervalTable(const ControlFlow& flow)
        : flow_{flow}, live_{live_blocks(flow, std::nullopt)}, first_(flow.blocks.size(), 0) {
        table_.upper = true;
        table_.nodes.push_back({0, std::nullopt});
        for (std::size_t block = 0; block < flow.blocks.size(); ++block)
            if (live_[block]) {
                first_[block] = table_.nodes.size();
                table_.nodes.insert(table_.nodes.end(), 3, {block, std::nullopt});
            }
    }

    /// The way from the block to `to`; none: to the end of the thread. `sums`: of the block on that
    /// way, up to each of its barriers, and from the last one to its end.
    void add(std::size_t block, std::optional<std::size_t> to,
             const std::vector<std::int64_t>& sums) {
        if (!live_[block] || (to && !live_[*to])) return;
        const bool has_barrier = sums.size() > 1;
        connect(block, before, to, before, 0);
        if (has_barrier) connect(block, before, to, inside, sums.back());
        for (std::size_t sum = 1; sum + 1 < sums.size(); ++sum)
            connect(block, before, to, after, sums[sum]);
        connect(block, inside, to, has_barrier ? after : inside, sums.front());
        connect(block, after, to, after, 0);
    }

    [[nodiscard]] std::optional<std::int64_t> best() const {
        return PathProblem{flow_, table_}.best();
    }

private:
    static constexpr std::size_t before = 0;
    static constexpr std::size_t inside = 1;
    static constexpr std::size_t after = 2;

    void connect(std::size_t block, std::size_t from, std::optional<std::size_t> to,
                 std::size_t stage, std::int64_t cost) {
        add_edge(first_[block] + from, to, stage, cost);
        if (block == 0 && from != after) add_edge(0, to, stage, cost);
    }
    void add_edge(std::size_t node, std::optional<std::size_t> to, std::size_t stage,
                  std::int64_t cost) {
        auto& end = table_.nodes[node].end;
        if (to)
            table_.edges.push_back({node, first_[*to] + stage, cost});
        else
            end = std::max(end.value_or(0), cost);
    }

    const ControlFlow& flow_;
    std::vector<bool> live_;
    std::vector<std::size_t> first_; ///< Node of each block.
    Certificate table_;
};

/// Whether a barrier is waited at on the way to the next block: a guarded one is where the branch
/// behind it goes as its guard says. Throws `Finding` where both ways of the branch are one.
bool waits_on_way(const KernelCase& kernel, const ControlFlow& flow, std::size_t block,
                  std::size_t at, std::optional<std::size_t> to) {
    const auto if_taken = assembly::barrier_if_taken(*kernel.function, at, flow.last[block]);
    if (!if_taken || !to) return true;
    const auto& code = kernel.function->instructions;
    const auto& branch = code[flow.last[block]];
    if (flow.last[block] + 1 < code.size() &&
        target_of(branch) == code[flow.last[block] + 1].address)
        refuted(fmt::format("{}: the branch at 0x{:04x} goes one way", kernel.id, branch.address));
    return (flow.blocks[*to].first == target_of(branch)) == *if_taken;
}

/// Where a thread can end, or begin a way without barriers to its end, while another way from the
/// same block still has a barrier.
class EarlyEnds {
public:
    explicit EarlyEnds(const TimedCode& code)
        : code_{code}, flow_{code.lower_flow}, waits_(flow_.blocks.size(), false) {
        const std::vector<bool> entered = from(0);
        for (std::size_t block = 0; block < waits_.size(); ++block)
            for (std::size_t i = flow_.first[block]; i <= flow_.last[block]; ++i)
                if (entered[block] && code.reachable[i] && code.timings[i] &&
                    code.timings[i].value().is_barrier_wait)
                    add_wait(block, i);
        for (std::size_t block = 0; block < waits_.size(); ++block)
            if (entered[block] && ends_early_at(block)) early_.push_back(block);
    }

    [[nodiscard]] bool at_all() const { return !early_.empty(); }
    [[nodiscard]] bool after_a_barrier() const {
        std::vector<bool> after(waits_);
        for (std::size_t block = 0; block < waits_.size(); ++block) {
            if (!waits_[block]) continue;
            const std::vector<bool> later = from(block);
            for (std::size_t other = 0; other < later.size(); ++other)
                after[other] = after[other] || later[other];
        }
        for (const auto& [block, to] : waits_between_) {
            if (!may_follow(block, to)) continue;
            const std::vector<bool> later = from(to);
            for (std::size_t other = 0; other < later.size(); ++other)
                after[other] = after[other] || later[other];
        }
        return std::any_of(early_.begin(), early_.end(),
                           [&](std::size_t block) { return after[block]; });
    }

private:
    /// A guarded barrier is waited at on the ways of the branch behind it that its guard takes.
    void add_wait(std::size_t block, std::size_t at) {
        if (!assembly::barrier_if_taken(*code_.kernel.function, at, flow_.last[block])) {
            waits_[block] = true;
            return;
        }
        for (const std::size_t to : flow_.blocks[block].successors)
            if (waits_on_way(code_.kernel, flow_, block, at, to)) waits_between_.emplace(block, to);
    }
    [[nodiscard]] bool waits_on(std::size_t block, std::size_t to) const {
        return waits_between_.count({block, to}) != 0;
    }
    /// Facts with one term, an edge, of which no execution is allowed.
    [[nodiscard]] bool may_follow(std::size_t block, std::size_t to) const {
        if (flow_.never[to]) return false;
        const std::int64_t source = flow_.blocks[block].first;
        const std::int64_t target = flow_.blocks[to].first;
        const auto& facts = code_.kernel.facts.constraints;
        return std::none_of(facts.begin(), facts.end(), [&](const models::LinearFact& fact) {
            return fact.terms.size() == 1 && fact.terms[0].from == source &&
                   fact.terms[0].block == target && fact.terms[0].coefficient >= 1 &&
                   fact.constant == 0 && fact.relation != models::Relation::AtLeast;
        });
    }
    /// A fact says that the block's out-edge is taken at least as often as the block executes.
    [[nodiscard]] bool always_goes_on(std::size_t block) const {
        const std::int64_t address = flow_.blocks[block].first;
        const auto& facts = code_.kernel.facts.constraints;
        return std::any_of(facts.begin(), facts.end(), [&](const models::LinearFact& fact) {
            const auto& terms = fact.terms;
            return terms.size() == 2 && fact.relation == models::Relation::AtLeast &&
                   fact.constant == 0 && terms[0].coefficient == 1 && terms[0].from == address &&
                   terms[1].coefficient == -1 && !terms[1].from && terms[1].block == address;
        });
    }
    [[nodiscard]] std::vector<bool> from(std::size_t block) const {
        std::vector<bool> found(flow_.blocks.size(), false);
        std::vector<std::size_t> work{block};
        found[block] = true;
        while (!work.empty()) {
            const std::size_t at = work.back();
            work.pop_back();
            for (const std::size_t to : flow_.blocks[at].successors)
                if (!found[to] && may_follow(at, to)) {
                    found[to] = true;
                    work.push_back(to);
                }
        }
        return found;
    }
    [[nodiscard]] bool barrier_ahead(std::size_t block) const {
        const std::vector<bool> found = from(block);
        for (std::size_t other = 0; other < found.size(); ++other)
            if (found[other] && (waits_[other] || waits_behind(other))) return true;
        return false;
    }
    [[nodiscard]] bool waits_behind(std::size_t block) const {
        const auto& successors = flow_.blocks[block].successors;
        return std::any_of(successors.begin(), successors.end(), [&](std::size_t to) {
            return waits_on(block, to) && may_follow(block, to);
        });
    }
    /// How often a loop with a barrier iterates is decided by all threads of a block alike.
    [[nodiscard]] bool leaves_loop_with_barrier(std::size_t block, std::size_t to) const {
        return std::any_of(flow_.loops.begin(), flow_.loops.end(), [&](const CheckedLoop& loop) {
            if (loop.blocks.count(block) == 0 || loop.blocks.count(to) != 0) return false;
            return std::any_of(loop.blocks.begin(), loop.blocks.end(),
                               [&](std::size_t inside) { return waits_[inside]; }) ||
                   std::any_of(waits_between_.begin(), waits_between_.end(), [&](const auto& way) {
                       return loop.blocks.count(way.first) != 0 &&
                              loop.blocks.count(way.second) != 0 &&
                              may_follow(way.first, way.second);
                   });
        });
    }
    [[nodiscard]] bool ends_early_at(std::size_t block) const {
        const BlockRow& row = flow_.blocks[block];
        bool waits_later = false;
        bool ends = row.exits && !row.successors.empty() && !always_goes_on(block);
        for (const std::size_t to : row.successors) {
            if (!may_follow(block, to)) continue;
            const bool ahead = waits_on(block, to) || barrier_ahead(to);
            waits_later = waits_later || ahead;
            ends = ends || (!ahead && !leaves_loop_with_barrier(block, to));
        }
        return waits_later && ends;
    }

    const TimedCode& code_;
    const ControlFlow& flow_;
    std::vector<bool> waits_;
    std::set<std::pair<std::size_t, std::size_t>> waits_between_; ///< On the way between blocks.
    std::vector<std::size_t> early_;
};

/// Lanes of a warp may differ at the guard of the barrier, or part at some branch.
bool may_part(const KernelCase& kernel, std::size_t barrier) {
    const auto& divergents = kernel.facts.divergents;
    return std::any_of(divergents.begin(), divergents.end(), [&](const auto& fact) {
        const auto at = kernel.function->index_of(fact.at);
        return !at || *at == barrier ||
               kernel.function->instructions[*at].control_flow != assembly::ControlFlow::None;
    });
}

/// What the certificate sums up within one barrier interval; none: it is about something else.
std::optional<DemandTable> costs_of_an_interval(const DemandTables& tables,
                                                const std::string& certificate) {
    namespace ids = certificate_id;
    if (certificate == ids::interval_beyond_ports) {
        const auto found = tables.find(ids::beyond_ports);
        return found == tables.end() ? std::nullopt : std::optional{found->second};
    }
    constexpr std::string_view id{ids::barrier_interval};
    if (certificate.rfind(id, 0) != 0) return std::nullopt;
    const std::string suffix = certificate.substr(id.size());
    const auto own = tables.find(ids::own_scheduler + suffix);
    if (own == tables.end()) return std::nullopt;
    const DemandTable& other = tables.at(ids::other_schedulers + suffix);
    DemandTable costs = own->second;
    for (std::size_t i = 0; i < costs.size(); ++i)
        costs[i] = (models::Cycles{costs[i]} - models::Cycles{other[i]}).count();
    return costs;
}

bool waits_under_guard(const TimedCode& code) {
    if (code.geometry.warps_per_block == 1) return false;
    const auto& instructions = code.kernel.function->instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i)
        if (code.reachable[i] && code.timings[i] && code.timings[i].value().is_barrier_wait &&
            assembly::is_guarded(instructions[i]))
            return true;
    return false;
}

} // namespace

std::vector<std::int64_t> costs_between_barriers(const TimedCode& code, std::size_t block,
                                                 std::optional<std::size_t> to,
                                                 const DemandTable& costs) {
    const ControlFlow& flow = code.upper_flow;
    std::vector<std::int64_t> sums{0};
    for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i) {
        sums.back() = (models::Cycles{sums.back()} + models::Cycles{costs[i]}).count();
        if (code.reachable[i] && code.timings[i].value().is_barrier_wait &&
            waits_on_way(code.kernel, flow, block, i, to))
            sums.push_back(0);
    }
    return sums;
}

std::int64_t most_barriers_of_a_path(const TimedCode& code) {
    if (code.geometry.warps_per_block == 1) return 0;
    const ControlFlow& flow = code.upper_flow;
    const std::vector<bool> live = live_blocks(flow, std::nullopt);
    std::vector<std::int64_t> waits(flow.blocks.size(), 0);
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        for (std::size_t i = flow.first[block]; live[block] && i <= flow.last[block]; ++i) {
            if (!code.timings[i].value().is_barrier_wait) continue;
            ++waits[block];
            const auto& instruction = code.kernel.function->instructions[i];
            if (assembly::is_guarded(instruction) &&
                (!assembly::barrier_if_taken(*code.kernel.function, i, flow.last[block]) ||
                 may_part(code.kernel, i)))
                refuted(fmt::format("{}: the barrier at 0x{:04x} is guarded", code.kernel.id,
                                    instruction.address));
        }
    return best_block_sum(flow, waits, true).value_or(0);
}

std::int64_t early_ends_of_a_block(const TimedCode& code) {
    const std::int64_t barriers = most_barriers_of_a_path(code);
    if (barriers == 0) return 0;
    const EarlyEnds ends{code};
    if (ends.after_a_barrier()) return std::min(barriers, code.geometry.warps_per_block - 1);
    return ends.at_all() ? 1 : 0;
}

std::int64_t most_barriers_if_none_ends_early(const TimedCode& code) {
    if (waits_under_guard(code)) refuted(code.kernel.id + ": this policy takes no guarded barrier");
    if (early_ends_of_a_block(code) > 0)
        refuted(code.kernel.id + ": a warp may end before a barrier that others wait at");
    return most_barriers_of_a_path(code);
}

std::optional<std::int64_t> costliest_barrier_interval(const TimedCode& code,
                                                       const DemandTables& tables,
                                                       const std::string& certificate) {
    const std::optional<DemandTable> costs = costs_of_an_interval(tables, certificate);
    if (!costs) return std::nullopt;
    const ControlFlow& flow = code.upper_flow;
    IntervalTable table{flow};
    const auto sums_on = [&](std::size_t block, std::optional<std::size_t> to) {
        return costs_between_barriers(code, block, to, *costs);
    };
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        if (flow.blocks[block].exits) table.add(block, std::nullopt, sums_on(block, std::nullopt));
        for (const std::size_t to : flow.blocks[block].successors)
            table.add(block, to, sums_on(block, to));
    }
    return table.best();
}

} // namespace warpbound::certification::verify
