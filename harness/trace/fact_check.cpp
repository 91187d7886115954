#include "harness/trace/fact_check.hpp"

#include "harness/trace/issue_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::harness::trace {

namespace {

/// Addresses of the blocks in which one lane shows, in order; copies of a callee are one.
using Path = std::vector<std::int64_t>;

/// Blocks by their addresses, and which of them a lane may pass without a trace.
class Blocks {
public:
    explicit Blocks(const Kernel& kernel) {
        const auto& graph = *kernel.graph;
        for (const auto& block : graph.blocks) {
            bool shows = false;
            for (std::size_t index = block.first; index <= block.last; ++index) {
                const auto& instruction = kernel.function->instructions[index];
                of_[instruction.address] = block.address;
                shows = shows || !instruction.guard || instruction.guard->always();
            }
            if (!shows) silent_.insert(block.address);
        }
        for (const auto& edge : graph.edges)
            successors_[graph.blocks[edge.from].address].insert(graph.blocks[edge.to].address);
    }

    /// Of the instruction at an address of the listing.
    [[nodiscard]] std::int64_t of(std::int64_t address) const { return of_.at(address); }
    [[nodiscard]] bool may_be_silent(std::int64_t block) const { return silent_.contains(block); }

    /// Whether a way leads from one block to another through others that may all be silent, at
    /// least one of them, and none of `except`.
    [[nodiscard]] bool is_joined_silently(std::int64_t from, std::int64_t to,
                                          const std::set<std::int64_t>& except = {}) const {
        std::vector<std::int64_t> open;
        std::set<std::int64_t> seen;
        const auto go_on = [&](std::int64_t block) {
            const auto next = successors_.find(block);
            if (next == successors_.end()) return;
            for (const std::int64_t one : next->second)
                if (may_be_silent(one) && !except.contains(one) && seen.insert(one).second)
                    open.push_back(one);
        };
        go_on(from);
        while (!open.empty()) {
            const std::int64_t block = open.back();
            open.pop_back();
            if (successors_.contains(block) && successors_.at(block).contains(to)) return true;
            go_on(block);
        }
        return false;
    }

private:
    std::map<std::int64_t, std::int64_t> of_;
    std::set<std::int64_t> silent_;
    std::map<std::int64_t, std::set<std::int64_t>> successors_;
};

/// What a count can be: a side that is absent has no end.
struct Count {
    std::optional<std::int64_t> least = 0;
    std::optional<std::int64_t> most = 0;

    void add(const Count& other, std::int64_t times) {
        if (times == 0) return;
        const auto& smaller = times > 0 ? other.least : other.most;
        const auto& larger = times > 0 ? other.most : other.least;
        least = least && smaller ? std::optional{*least + times * *smaller} : std::nullopt;
        most = most && larger ? std::optional{*most + times * *larger} : std::nullopt;
    }
    [[nodiscard]] bool is_exact() const { return least && least == most; }
};

/// What messages call it; facts are checked for a kernel, wherever its text came from.
constexpr std::string_view listing = "the listing";

class Checker {
public:
    explicit Checker(const Kernel& kernel) : kernel_{kernel}, blocks_{kernel} {
        const models::FlowFacts& facts = *kernel.facts;
        for (const auto& loop : facts.loops)
            add(fmt::format("loop 0x{:04x} {}..{}", loop.header, loop.min, loop.max), loop.from);
        for (const auto& never : facts.nevers)
            add(fmt::format("never 0x{:04x}", never.block), never.from);
        for (const auto& exclusive : facts.exclusives)
            add(fmt::format("exclusive 0x{:04x} 0x{:04x}", exclusive.first, exclusive.second),
                exclusive.from);
        for (const auto& constraint : facts.constraints)
            add("linear", constraint.from);
        for (const auto& fact : facts.loops)
            loops_.push_back(loop_of(fact.header));
    }

    Result<std::vector<FactCheck>> check(const SassTrace& trace) {
        if (const auto matched = match_kernel(*kernel_.function, listing, trace); !matched)
            return matched.as_failure();
        for (const TracedBlock& block : trace.blocks)
            for (const TracedWarp& warp : block.warps) {
                who_ = fmt::format("warp {} of block {},{},{}", warp.number, block.number[0],
                                   block.number[1], block.number[2]);
                for (const TracedIssue& issue : warp.issues)
                    if (const auto matched = match_issue(*kernel_.function, listing, issue);
                        !matched)
                        return Failure{who_ + ": " + matched.error().what, ""};
                for (int lane = 0; lane < trace_lanes; ++lane) {
                    const Path path = path_of(warp, lane);
                    if (path.empty()) continue;
                    lane_ = lane;
                    check_path(path);
                }
            }
        return std::move(checks_);
    }

private:
    /// The loops with one header.
    struct Loop {
        std::set<std::int64_t> members; ///< Blocks.
        bool returns_silently = false;  ///< Lanes may leave and enter again without a trace.
    };

    void add(std::string fact, const models::FactSource& from) {
        checks_.push_back({.fact = std::move(fact), .line = from.line, .refuted_by = {}});
    }

    Loop loop_of(std::int64_t header) const {
        Loop found;
        for (const auto& loop : kernel_.graph->loops)
            if (kernel_.graph->blocks[loop.header].address == header)
                for (const std::size_t block : loop.blocks)
                    found.members.insert(kernel_.graph->blocks[block].address);
        for (const std::int64_t member : found.members)
            found.returns_silently =
                found.returns_silently || blocks_.is_joined_silently(member, header, found.members);
        return found;
    }

    Path path_of(const TracedWarp& warp, int lane) const {
        Path path;
        std::int64_t before = -1;
        for (const TracedIssue& issue : warp.issues) {
            if (((issue.mask >> static_cast<unsigned>(lane)) & 1U) == 0) continue;
            const std::int64_t block = blocks_.of(issue.address);
            if (path.empty() || block != path.back() || issue.address <= before)
                path.push_back(block);
            before = issue.address;
        }
        return path;
    }

    void refute(FactCheck& check, const std::string& what) const {
        if (!check.refuted_by)
            check.refuted_by = fmt::format("lane {} of {} {}", lane_, who_, what);
    }

    /// How often a lane that shows in a block so often passed it.
    [[nodiscard]] Count count_of(std::int64_t block, std::int64_t shown) const {
        if (blocks_.may_be_silent(block)) return {.least = shown, .most = std::nullopt};
        return {.least = shown, .most = shown};
    }
    /// How often a lane that shows in both blocks one after the other so often took the edge.
    [[nodiscard]] Count count_of(std::int64_t from, std::int64_t to, std::int64_t shown) const {
        Count count{.least = blocks_.is_joined_silently(from, to) ? 0 : shown, .most = shown};
        if (blocks_.may_be_silent(from) || blocks_.may_be_silent(to)) count.most.reset();
        return count;
    }

    void check_path(const Path& path) {
        const models::FlowFacts& facts = *kernel_.facts;
        std::map<std::int64_t, std::int64_t> blocks;
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> edges;
        for (std::size_t place = 0; place < path.size(); ++place) {
            ++blocks[path[place]];
            if (place > 0) ++edges[{path[place - 1], path[place]}];
        }
        const auto shown = [](const auto& counts, const auto& of) {
            const auto found = counts.find(of);
            return found == counts.end() ? std::int64_t{0} : found->second;
        };
        auto check = checks_.begin();
        for (std::size_t loop = 0; loop < facts.loops.size(); ++loop)
            check_loop(facts.loops[loop], loops_[loop], path, *check++);
        for (const auto& never : facts.nevers) {
            ++check->cases;
            if (shown(blocks, never.block) > 0)
                refute(*check, "passes it");
            else if (blocks_.may_be_silent(never.block))
                ++check->open;
            ++check;
        }
        for (const auto& exclusive : facts.exclusives) {
            ++check->cases;
            const bool first = shown(blocks, exclusive.first) > 0;
            const bool second = shown(blocks, exclusive.second) > 0;
            if (first && second)
                refute(*check, "passes both");
            else if ((first || blocks_.may_be_silent(exclusive.first)) &&
                     (second || blocks_.may_be_silent(exclusive.second)))
                ++check->open;
            ++check;
        }
        for (const auto& constraint : facts.constraints) {
            ++check->cases;
            Count sum;
            for (const auto& term : constraint.terms)
                sum.add(term.from ? count_of(*term.from, term.block,
                                             shown(edges, std::pair{*term.from, term.block}))
                                  : count_of(term.block, shown(blocks, term.block)),
                        term.coefficient);
            check_sum(constraint, sum, *check);
            ++check;
        }
    }

    void check_sum(const models::LinearFact& fact, const Count& sum, FactCheck& check) const {
        using enum models::Relation;
        const bool too_small = sum.most && *sum.most < fact.constant;
        const bool too_large = sum.least && *sum.least > fact.constant;
        if ((fact.relation != AtMost && too_small) || (fact.relation != AtLeast && too_large)) {
            refute(check, sum.is_exact() ? fmt::format("makes the sum {}", *sum.least)
                          : too_small    ? fmt::format("makes the sum at most {}", *sum.most)
                                         : fmt::format("makes the sum at least {}", *sum.least));
            return;
        }
        const bool holds = fact.relation == AtMost    ? sum.most && *sum.most <= fact.constant
                           : fact.relation == AtLeast ? sum.least && *sum.least >= fact.constant
                                                      : sum.is_exact();
        if (!holds) ++check.open;
    }

    /// Executions of the header in every stay in the loop.
    void check_loop(const models::LoopFact& fact, const Loop& loop, const Path& path,
                    FactCheck& check) const {
        const bool silent_header = blocks_.may_be_silent(fact.header);
        std::int64_t turns = 0;
        const auto leave = [&] {
            if (turns == 0) return;
            ++check.cases;
            // Two stays that nothing shows to be two have at least the turns of one.
            const bool too_few = turns < fact.min && !silent_header;
            const bool too_many = turns > fact.max && !loop.returns_silently;
            if (too_few || too_many)
                refute(check, fmt::format("executes its header {}{} times",
                                          silent_header ? "at least " : "", turns));
            else if (silent_header || loop.returns_silently)
                ++check.open;
            turns = 0;
        };
        for (const std::int64_t block : path) {
            if (!loop.members.contains(block))
                leave();
            else if (block == fact.header)
                ++turns;
        }
        leave();
    }

    const Kernel& kernel_;
    Blocks blocks_;
    std::vector<Loop> loops_; ///< Per loop fact.
    std::vector<FactCheck> checks_;
    std::string who_; ///< The warp that is checked,
    int lane_ = 0;    ///< and its lane.
};

} // namespace

Result<std::vector<FactCheck>> check_facts(const SassTrace& trace, const Kernel& kernel) {
    return Checker{kernel}.check(trace);
}

} // namespace warpbound::harness::trace
