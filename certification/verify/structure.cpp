#include "certification/verify/structure.hpp"

#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/flow/path_problem.hpp"
#include "certification/verify/interference/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace warpbound::certification::verify {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw Finding{Verdict::Failed, what};
}

/// Besides bounds of loops and blocks that never execute.
bool has_further_facts(const models::FlowFacts& facts) {
    return !facts.exclusives.empty() || !facts.constraints.empty();
}

/// The table has exactly the ways of the control flow that the facts leave.
void check_ways(const ControlFlow& flow, const Certificate& certificate, const std::string& where) {
    const std::vector<bool> live = live_blocks(flow, certificate.between);
    std::set<std::pair<std::size_t, std::size_t>> expected;
    for (std::size_t block = 0; block < live.size(); ++block)
        for (const std::size_t to : flow.blocks[block].successors)
            if (live[block] && live[to] &&
                (!certificate.between || block != certificate.between->second))
                expected.emplace(block, to);
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (const auto& edge : certificate.edges)
        found.emplace(certificate.nodes[edge.from].block, certificate.nodes[edge.to].block);
    for (const auto& [from, to] : expected)
        if (found.count({from, to}) == 0)
            fail(fmt::format("{}: the way from 0x{:04x} to 0x{:04x} is missing", where,
                             flow.blocks[from].first, flow.blocks[to].first));
    for (const auto& [from, to] : found)
        if (expected.count({from, to}) == 0)
            fail(fmt::format("{}: a way from 0x{:04x} to 0x{:04x} that the control flow lacks",
                             where, flow.blocks[from].first, flow.blocks[to].first));
    std::set<std::size_t> ends;
    for (const auto& node : certificate.nodes)
        if (node.end) ends.insert(node.block);
    for (std::size_t block = 0; block < live.size(); ++block) {
        const bool may_end =
            certificate.between ? block == certificate.between->second : flow.blocks[block].exits;
        if ((live[block] && may_end) != (ends.count(block) != 0))
            fail(fmt::format("{}: block 0x{:04x} ends paths in the table or in the listing, not in "
                             "both",
                             where, flow.blocks[block].first));
    }
    if (certificate.nodes[0].block != (certificate.between ? certificate.between->first : 0))
        fail(where + ": node 0 is not where paths start");
}

void check_bound(const KernelCase& kernel, const ControlFlow& flow, const Certificate& certificate,
                 const std::string& where) {
    const auto best = PathProblem{flow, certificate}.best();
    if (!best) fail(where + ": no path satisfies the loop bounds");
    const bool further = certificate.all_facts && has_further_facts(kernel.facts);
    // Further facts make the bound tighter than this; that it holds is the script's matter.
    const bool looser = certificate.upper ? *best < certificate.bound : *best > certificate.bound;
    if (looser || (!further && *best != certificate.bound))
        fail(fmt::format("{}: its bound is {}, the best path under loop bounds costs {}", where,
                         certificate.bound, *best));
    if (certificate.witness.empty()) return;
    const auto cost = witness_cost(certificate);
    if (!cost) fail(where + ": the witness is no path through the table");
    if (*cost != certificate.witness_cost)
        fail(fmt::format("{}: the witness is said to cost {}, its ways cost {}", where,
                         certificate.witness_cost, *cost));
    if (certificate.upper ? *cost > certificate.bound : *cost < certificate.bound)
        fail(where + ": the witness is beyond the bound");
    const auto counts = witness_counts(certificate);
    if (counts !=
        std::map<std::size_t, std::int64_t>{certificate.counts.begin(), certificate.counts.end()})
        fail(where + ": the counts beside the witness are not those of its blocks");
}

/// Paths start outside of every region, so they are in one only if they enter it; its row in the
/// script says so.
void check_regions(const Certificate& certificate, const std::string& where) {
    for (const auto& region : certificate.regions) {
        const bool increasing = std::adjacent_find(region.begin(), region.end(),
                                                   std::greater_equal<>{}) == region.end();
        if (region.empty() || !increasing) fail(where + ": a region is not a set of nodes");
        if (region.front() == 0) fail(where + ": a region holds the node where paths start");
    }
}

/// A lemma is about what its name says. Facts about whole paths hold where one path is followed
/// from the entry to the end: not between clock reads, up to the last EXIT, where the critical
/// chain goes over to other warps at barriers (S12), or where the lanes of a warp part (S19e).
void check_kind(const Certificate& certificate, const KernelCase& kernel,
                const Contention& contention, const std::string& where) {
    if (certificate.upper != (certificate.id.find("-upper") != std::string::npos))
        fail(where + ": its side is not the one it is named for");
    if (certificate.between.has_value() != (certificate.id.rfind("measured-time", 0) == 0))
        fail(where + ": it bounds another part of a run than it is named for");
    const auto in_slots = [&](const SlotRange& range) {
        return certificate.id == "execution-time-upper" + kind_of(range) ||
               certificate.id == "execution-time-lower" + kind_of(range);
    };
    const auto& slots = contention.slots();
    const bool whole =
        certificate.id == "execution-time-upper" || certificate.id == "execution-time-lower" ||
        std::any_of(slots.begin(), slots.end(), in_slots) ||
        ((certificate.id == "execution-time-upper-stall" ||
          certificate.id == "execution-time-upper-stall" + contention.costs().by_turns()) &&
         contention.costs().barriers() == 0);
    if (certificate.all_facts && !whole) fail(where + ": it uses facts that speak of whole paths");
    if (kernel.facts.divergents.empty()) return;
    if (certificate.between) fail(where + ": no measured time is bounded where lanes may part");
    if (certificate.upper && certificate.all_facts && has_further_facts(kernel.facts))
        fail(where + ": it uses facts that speak of the path of one lane");
}

/// Every node is one that paths reach, and a sum over blocks has one of each. Where a block has
/// several, which of them a path can come from is left to re-analysis.
void check_nodes(const Certificate& certificate, bool is_sum, const std::string& where) {
    std::vector<std::vector<std::size_t>> out(certificate.nodes.size());
    for (const auto& edge : certificate.edges)
        out[edge.from].push_back(edge.to);
    std::vector<bool> reached(certificate.nodes.size(), false);
    std::vector<std::size_t> work{0};
    reached[0] = true;
    while (!work.empty()) {
        const std::size_t node = work.back();
        work.pop_back();
        for (const std::size_t to : out[node])
            if (!reached[to]) {
                reached[to] = true;
                work.push_back(to);
            }
    }
    if (std::find(reached.begin(), reached.end(), false) != reached.end())
        fail(where + ": the table has a node that no path reaches");
    if (!is_sum) return;
    std::set<std::size_t> blocks;
    for (const auto& node : certificate.nodes)
        if (!blocks.insert(node.block).second)
            fail(where + ": a sum over blocks has two nodes of one");
}

void check_kernel(const KernelCase& kernel) {
    const SideFlows flows = check_flows(kernel);
    const Contention contention{kernel, flows};
    for (const Certificate& certificate : kernel.certificates) {
        const std::string where = kernel.id + "/" + certificate.id;
        const ControlFlow& flow = flows.of(certificate.upper);
        for (const auto& node : certificate.nodes)
            if (node.block >= flow.blocks.size()) fail(where + ": a node of no block of its side");
        check_kind(certificate, kernel, contention, where);
        check_ways(flow, certificate, where);
        check_nodes(certificate, contention.costs().sums(certificate.id), where);
        check_regions(certificate, where);
        if (contention.costs().sums(certificate.id)) {
            const auto costs = contention.costs().per_block(certificate.id);
            for (const auto& edge : certificate.edges)
                if (edge.cost != costs[certificate.nodes[edge.from].block])
                    fail(where + ": a cost is not the sum over its block");
            for (const auto& node : certificate.nodes)
                if (node.end && *node.end != costs[node.block])
                    fail(where + ": a cost is not the sum over its block");
        }
        check_bound(kernel, flow, certificate, where);
        const auto part = contention.costs().most_of_a_part(certificate.id);
        if (part && certificate.bound < *part)
            fail(fmt::format("{}: a part between barriers costs {}", where, *part));
    }
    for (const bool upper : {true, false})
        if (std::none_of(kernel.claims.begin(), kernel.claims.end(), [&](const ClaimRow& claim) {
                return claim.quantity == "execution-time" && claim.upper == upper;
            }))
            throw Finding{Verdict::Incomplete, kernel.id + ": no claim on the execution time"};
    for (const ClaimRow& claim : kernel.claims)
        contention.check_terms(claim);
}

} // namespace

StepResult check_structure(const Evidence& evidence) {
    try {
        std::size_t certificates = 0;
        std::size_t claims = 0;
        std::size_t derived = 0;
        for (const auto& kernel : evidence.kernels) {
            check_kernel(*kernel);
            certificates += kernel->certificates.size();
            claims += kernel->claims.size();
            derived += kernel->derived.size();
        }
        return {
            "structure", Verdict::Holds,
            fmt::format("control flow, {} path tables with witnesses, sums of {} claims; {} loop "
                        "bounds from the code are left to re-analysis",
                        certificates, claims, derived)};
    } catch (const Finding& finding) {
        return {"structure", finding.verdict, finding.what()};
    } catch (const std::overflow_error& error) {
        return {"structure", Verdict::Failed, error.what()};
    }
}

} // namespace warpbound::certification::verify
