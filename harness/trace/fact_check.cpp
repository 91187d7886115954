#include "harness/trace/fact_check.hpp"

#include "harness/trace/issue_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::harness::trace {

namespace {

/// Addresses of the blocks in which one lane is recorded, in order; inlined copies of a callee have
/// the same address.
using Path = std::vector<std::int64_t>;

/// Blocks by address, and which of them are silent: a lane may execute them without a trace.
class TracedBlocks {
public:
    explicit TracedBlocks(const Kernel& kernel) {
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

    /// The block of the instruction at an address of the listing.
    [[nodiscard]] std::int64_t of(std::int64_t address) const { return of_.at(address); }
    [[nodiscard]] bool may_be_silent(std::int64_t block) const { return silent_.contains(block); }

    /// Whether a path leads from one block to another through at least one further block, where all
    /// further blocks may be silent and none is in `except`.
    [[nodiscard]] bool has_silent_path(std::int64_t from, std::int64_t to,
                                       const std::set<std::int64_t>& except = {}) const {
        std::vector<std::int64_t> open;
        std::set<std::int64_t> seen;
        const auto expand = [&](std::int64_t block) {
            const auto next = successors_.find(block);
            if (next == successors_.end()) return;
            for (const std::int64_t one : next->second)
                if (may_be_silent(one) && !except.contains(one) && seen.insert(one).second)
                    open.push_back(one);
        };
        expand(from);
        while (!open.empty()) {
            const std::int64_t block = open.back();
            open.pop_back();
            if (successors_.contains(block) && successors_.at(block).contains(to)) return true;
            expand(block);
        }
        return false;
    }

private:
    std::map<std::int64_t, std::int64_t> of_;
    std::set<std::int64_t> silent_;
    std::map<std::int64_t, std::set<std::int64_t>> successors_;
};

/// The interval of possible counts; an absent side is unbounded.
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

/// The name of the kernel text in messages, whatever its source.
constexpr std::string_view listing = "the listing";

FactCheck unchecked(std::string fact, const models::FactSource& from) {
    return {.fact = std::move(fact), .line = from.line, .refuted_by = {}};
}

class FactChecker {
public:
    explicit FactChecker(const Kernel& kernel)
        : kernel_{kernel}, blocks_{kernel}, checks_{unchecked_path_facts(*kernel.facts)} {
        const models::FlowFacts& facts = *kernel.facts;
        for (const auto& constraint : facts.constraints)
            checks_.push_back(unchecked("linear", constraint.from));
        for (const auto& fact : facts.loops)
            loops_.push_back(loop_of(fact.header));
    }

    Result<std::vector<FactCheck>> check(const SassTrace& trace) {
        if (const auto matched = match_kernel(*kernel_.function, listing, trace); !matched)
            return matched.as_failure();
        for (const TracedBlock& block : trace.blocks)
            for (const TracedWarp& warp : block.warps) {
                warp_name_ = fmt::format("warp {} of block {},{},{}", warp.number, block.number[0],
                                         block.number[1], block.number[2]);
                for (const TracedIssue& issue : warp.issues)
                    if (const auto matched = match_issue(*kernel_.function, listing, issue);
                        !matched)
                        return Failure{warp_name_ + ": " + matched.error().what, ""};
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
    /// All loops with one header.
    struct Loop {
        std::set<std::int64_t> members; ///< Blocks.
        bool reiterations_silently =
            false; ///< Lanes may leave the loop and enter it again without a trace.
    };

    Loop loop_of(std::int64_t header) const {
        Loop found;
        for (const auto& loop : kernel_.graph->loops)
            if (kernel_.graph->blocks[loop.header].address == header)
                for (const std::size_t block : loop.blocks)
                    found.members.insert(kernel_.graph->blocks[block].address);
        for (const std::int64_t member : found.members)
            found.reiterations_silently = found.reiterations_silently ||
                                          blocks_.has_silent_path(member, header, found.members);
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
            check.refuted_by = fmt::format("lane {} of {} {}", lane_, warp_name_, what);
    }

    /// Executions of a block by a lane that is recorded in it `shown` times.
    [[nodiscard]] Count count_of(std::int64_t block, std::int64_t shown) const {
        if (blocks_.may_be_silent(block)) return {.least = shown, .most = std::nullopt};
        return {.least = shown, .most = shown};
    }
    /// Executions of an edge by a lane that is recorded in both blocks consecutively `shown` times.
    [[nodiscard]] Count count_of(std::int64_t from, std::int64_t to, std::int64_t shown) const {
        Count count{.least = blocks_.has_silent_path(from, to) ? 0 : shown, .most = shown};
        if (blocks_.may_be_silent(from) || blocks_.may_be_silent(to)) count.most.reset();
        return count;
    }

    void check_path(const Path& path) {
        const models::FlowFacts& facts = *kernel_.facts;
        std::map<std::int64_t, std::int64_t> blocks;
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> edges;
        for (std::size_t step = 0; step < path.size(); ++step) {
            ++blocks[path[step]];
            if (step > 0) ++edges[{path[step - 1], path[step]}];
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
                refute(*check, "executes it");
            else if (blocks_.may_be_silent(never.block))
                ++check->open;
            ++check;
        }
        for (const auto& exclusive : facts.exclusives) {
            ++check->cases;
            const bool first = shown(blocks, exclusive.first) > 0;
            const bool second = shown(blocks, exclusive.second) > 0;
            if (first && second)
                refute(*check, "executes both");
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

    /// Checks the executions of the header in every loop traversal.
    void check_loop(const models::LoopFact& fact, const Loop& loop, const Path& path,
                    FactCheck& check) const {
        const bool silent_header = blocks_.may_be_silent(fact.header);
        std::int64_t iterations = 0;
        const auto leave = [&] {
            if (iterations == 0) return;
            ++check.cases;
            // Two traversals that the trace cannot separate have at least the iterations of one.
            const bool too_few = iterations < fact.min && !silent_header;
            const bool too_many = iterations > fact.max && !loop.reiterations_silently;
            if (too_few || too_many)
                refute(check, fmt::format("executes its header {}{} times",
                                          silent_header ? "at least " : "", iterations));
            else if (silent_header || loop.reiterations_silently)
                ++check.open;
            iterations = 0;
        };
        for (const std::int64_t block : path) {
            if (!loop.members.contains(block))
                leave();
            else if (block == fact.header)
                ++iterations;
        }
        leave();
    }

    const Kernel& kernel_;
    TracedBlocks blocks_;
    std::vector<Loop> loops_; ///< Per loop fact.
    std::vector<FactCheck> checks_;
    std::string warp_name_; ///< The warp that is checked.
    int lane_ = 0;          ///< The lane that is checked.
};

} // namespace

std::vector<FactCheck> unchecked_path_facts(const models::FlowFacts& facts) {
    std::vector<FactCheck> checks;
    for (const auto& loop : facts.loops)
        checks.push_back(unchecked(
            fmt::format("loop 0x{:04x} {}..{}", loop.header, loop.min, loop.max), loop.from));
    for (const auto& never : facts.nevers)
        checks.push_back(unchecked(fmt::format("never 0x{:04x}", never.block), never.from));
    for (const auto& exclusive : facts.exclusives)
        checks.push_back(
            unchecked(fmt::format("exclusive 0x{:04x} 0x{:04x}", exclusive.first, exclusive.second),
                      exclusive.from));
    return checks;
}

Result<std::vector<FactCheck>> check_facts(const SassTrace& trace, const Kernel& kernel) {
    return FactChecker{kernel}.check(trace);
}

} // namespace warpbound::harness::trace
