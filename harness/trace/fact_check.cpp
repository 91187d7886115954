#include "harness/trace/fact_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::harness::trace {

namespace {

/// Addresses of the blocks that one lane passes, in order; copies of a callee are one.
using Path = std::vector<std::int64_t>;

class Checker {
public:
    explicit Checker(const Kernel& kernel) : kernel_{kernel} {
        for (const auto& block : kernel.graph->blocks)
            for (std::size_t index = block.first; index <= block.last; ++index)
                block_of_[kernel.function->instructions[index].address] = block.address;
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
            members_.push_back(members_of(fact.header));
    }

    Result<std::vector<FactCheck>> check(const SassTrace& trace) {
        if (trace.kernel != kernel_.function->name)
            return Failure{fmt::format("a trace of kernel '{}'; '{}' was expected", trace.kernel,
                                       kernel_.function->name),
                           "", 0, 0};
        for (const TracedBlock& block : trace.blocks)
            for (const TracedWarp& warp : block.warps)
                for (int lane = 0; lane < trace_lanes; ++lane) {
                    const auto path = path_of(warp, lane);
                    if (!path) return path.as_failure();
                    if (path.value().empty()) continue;
                    who_ = fmt::format("lane {} of warp {} of block {},{},{}", lane, warp.number,
                                       block.number[0], block.number[1], block.number[2]);
                    check_path(path.value());
                }
        return std::move(checks_);
    }

private:
    void add(std::string fact, const models::FactSource& from) {
        checks_.push_back({.fact = std::move(fact), .line = from.line, .refuted_by = {}});
    }

    /// Blocks of the loops with that header.
    std::set<std::int64_t> members_of(std::int64_t header) const {
        std::set<std::int64_t> members;
        for (const auto& loop : kernel_.graph->loops)
            if (kernel_.graph->blocks[loop.header].address == header)
                for (const std::size_t block : loop.blocks)
                    members.insert(kernel_.graph->blocks[block].address);
        return members;
    }

    Result<Path> path_of(const TracedWarp& warp, int lane) const {
        Path path;
        std::int64_t before = -1;
        for (const TracedIssue& issue : warp.issues) {
            if (((issue.mask >> static_cast<unsigned>(lane)) & 1U) == 0) continue;
            const auto block = block_of_.find(issue.address);
            if (block == block_of_.end())
                return Failure{fmt::format("0x{:04x} of the trace is no instruction of kernel '{}'",
                                           issue.address, kernel_.function->name),
                               "", 0, 0};
            if (path.empty() || block->second != path.back() || issue.address <= before)
                path.push_back(block->second);
            before = issue.address;
        }
        return path;
    }

    void refute(FactCheck& check, const std::string& what) const {
        if (!check.refuted_by) check.refuted_by = who_ + " " + what;
    }

    void check_path(const Path& path) {
        const models::FlowFacts& facts = *kernel_.facts;
        std::map<std::int64_t, std::int64_t> blocks;
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> edges;
        for (std::size_t place = 0; place < path.size(); ++place) {
            ++blocks[path[place]];
            if (place > 0) ++edges[{path[place - 1], path[place]}];
        }
        const auto passed = [&](std::int64_t block) {
            const auto found = blocks.find(block);
            return found == blocks.end() ? std::int64_t{0} : found->second;
        };
        auto check = checks_.begin();
        for (std::size_t loop = 0; loop < facts.loops.size(); ++loop)
            check_loop(facts.loops[loop], members_[loop], path, *check++);
        for (const auto& never : facts.nevers) {
            ++check->cases;
            if (passed(never.block) > 0) refute(*check, "passes it");
            ++check;
        }
        for (const auto& exclusive : facts.exclusives) {
            ++check->cases;
            if (passed(exclusive.first) > 0 && passed(exclusive.second) > 0)
                refute(*check, "passes both");
            ++check;
        }
        for (const auto& constraint : facts.constraints) {
            ++check->cases;
            std::int64_t sum = 0;
            for (const auto& term : constraint.terms) {
                const auto edge = term.from ? edges.find({*term.from, term.block}) : edges.end();
                sum += term.coefficient * (!term.from            ? passed(term.block)
                                           : edge == edges.end() ? 0
                                                                 : edge->second);
            }
            const bool holds =
                constraint.relation == models::Relation::AtMost    ? sum <= constraint.constant
                : constraint.relation == models::Relation::AtLeast ? sum >= constraint.constant
                                                                   : sum == constraint.constant;
            if (!holds) refute(*check, fmt::format("makes the sum {}", sum));
            ++check;
        }
    }

    /// Executions of the header in every stay in the loop.
    void check_loop(const models::LoopFact& fact, const std::set<std::int64_t>& members,
                    const Path& path, FactCheck& check) const {
        std::int64_t turns = 0;
        const auto leave = [&] {
            if (turns == 0) return;
            ++check.cases;
            if (turns < fact.min || turns > fact.max)
                refute(check, fmt::format("executes its header {} times", turns));
            turns = 0;
        };
        for (const std::int64_t block : path) {
            if (members.count(block) == 0)
                leave();
            else if (block == fact.header)
                ++turns;
        }
        leave();
    }

    const Kernel& kernel_;
    std::map<std::int64_t, std::int64_t> block_of_; ///< By address of an instruction.
    std::vector<std::set<std::int64_t>> members_;   ///< Per loop fact.
    std::vector<FactCheck> checks_;
    std::string who_;
};

} // namespace

Result<std::vector<FactCheck>> check_facts(const SassTrace& trace, const Kernel& kernel) {
    return Checker{kernel}.check(trace);
}

} // namespace warpbound::harness::trace
