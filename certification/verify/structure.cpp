#include "certification/verify/structure.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/flow/loop_bounds.hpp"
#include "certification/verify/flow/pair_states.hpp"
#include "certification/verify/flow/path_problem.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/warp_demand.hpp"
#include "certification/verify/terms.hpp"
#include "certification/verify/wavefront/wave_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace warpbound::certification::verify {

namespace {

[[noreturn]] void fail_structure(const std::string& what) {
    refuted(what);
}

/// Facts other than loop bounds and blocks that never execute: those about whole paths.
bool has_path_facts(const models::FlowFacts& facts) {
    return !facts.exclusives.empty() || !facts.constraints.empty();
}

/// The table has exactly the edges of the control flow that the facts allow.
void check_edges(const ControlFlow& flow, const Certificate& certificate,
                 const std::string& where) {
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
            fail_structure(fmt::format("{}: the edge from 0x{:04x} to 0x{:04x} is missing", where,
                                       flow.blocks[from].first, flow.blocks[to].first));
    for (const auto& [from, to] : found)
        if (expected.count({from, to}) == 0)
            fail_structure(
                fmt::format("{}: an edge from 0x{:04x} to 0x{:04x} that the control flow lacks",
                            where, flow.blocks[from].first, flow.blocks[to].first));
    std::set<std::size_t> ends;
    for (const auto& node : certificate.nodes)
        if (node.end) ends.insert(node.block);
    for (std::size_t block = 0; block < live.size(); ++block) {
        const bool may_end = certificate.between
                                 ? block == certificate.between->second
                                 : flow.blocks[block].exits || certificate.is_of_beginnings();
        if ((live[block] && may_end) != (ends.count(block) != 0))
            fail_structure(
                fmt::format("{}: block 0x{:04x} ends paths either in the table or in the listing, "
                            "not in both",
                            where, flow.blocks[block].first));
    }
    if (certificate.nodes[0].block != (certificate.between ? certificate.between->first : 0))
        fail_structure(where + ": node 0 is not where paths start");
}

/// `product`: the certificate over its table with the states of pairs.
void check_bound(const KernelCase& kernel, const ControlFlow& flow, const Certificate& product,
                 const std::string& where) {
    const auto best = PathProblem{flow, product}.best();
    if (!best) fail_structure(where + ": no path satisfies the loop bounds");
    const bool uses_path_facts =
        product.all_facts && has_path_facts(facts_of_script(kernel.facts, product));
    // Facts about whole paths may make the bound tighter; the script then proves that it holds.
    const bool looser = product.upper ? *best < product.bound : *best > product.bound;
    if (looser || (!uses_path_facts && *best != product.bound))
        fail_structure(fmt::format("{}: its bound is {}, the best path under loop bounds costs {}",
                                   where, product.bound, *best));
}

void check_witness(const Certificate& certificate, const std::string& where) {
    if (certificate.witness.empty()) return;
    const auto cost = witness_cost(certificate);
    if (!cost) fail_structure(where + ": the witness is no path through the table");
    if (*cost != certificate.witness_cost)
        fail_structure(fmt::format("{}: the witness is stated to cost {}, its edges cost {}", where,
                                   certificate.witness_cost, *cost));
    if (certificate.upper ? *cost > certificate.bound : *cost < certificate.bound)
        fail_structure(where + ": the witness is beyond the bound");
    const auto counts = witness_counts(certificate);
    if (counts !=
        std::map<std::size_t, std::int64_t>{certificate.counts.begin(), certificate.counts.end()})
        fail_structure(where + ": the counts of the witness are not those of its blocks");
}

/// Paths start outside every region, so a path in a region has entered it: this is what the
/// region's row of the script states.
void check_regions(const Certificate& certificate, const std::string& where) {
    for (const auto& region : certificate.regions) {
        const bool increasing = std::adjacent_find(region.begin(), region.end(),
                                                   std::greater_equal<>{}) == region.end();
        if (region.empty() || !increasing)
            fail_structure(where + ": a region is not a set of nodes");
        if (region.front() == 0)
            fail_structure(where + ": a region contains the node where paths start");
        if (region.back() >= certificate.nodes.size())
            fail_structure(where + ": a region with a node that does not exist");
    }
}

/// Whether the paths that the certificate bounds are whole paths of one warp, about which exclusive
/// and linear facts speak. They are not where the critical path goes over to other warps at
/// barriers (S12).
bool bounds_whole_paths(const Certificate& certificate, const LaunchDemand& demand) {
    namespace ids = certificate_id;
    const auto is_about_slots = [&](const SlotDistance& distance) {
        return certificate.id == ids::upper_path + certificate_suffix(distance) ||
               certificate.id == ids::lower_path + certificate_suffix(distance);
    };
    return certificate.id == ids::upper_path || certificate.id == ids::lower_path ||
           std::any_of(demand.policy.distances.begin(), demand.policy.distances.end(),
                       is_about_slots) ||
           ((certificate.id == ids::stall ||
             certificate.id == ids::stall + demand.policy.round_robin_suffix) &&
            most_barriers_of_a_path(demand.code) == 0);
}

/// A certificate bounds what its id states, and uses facts about whole paths only where it is about
/// such: not between clock reads, and not on the upper side of a divergent warp (S19e).
void check_scope(const Certificate& certificate, const KernelCase& kernel,
                 const LaunchDemand& demand, const std::string& where) {
    if (certificate.upper != (certificate.id.find("-upper") != std::string::npos))
        fail_structure(where + ": its side is not the one that its id states");
    if (certificate.between.has_value() != (certificate.id.rfind("measured-time", 0) == 0))
        fail_structure(where + ": only ids of measured times are about paths between two blocks");
    const bool whole_paths = bounds_whole_paths(certificate, demand);
    if (certificate.all_facts && !whole_paths)
        fail_structure(where + ": it uses facts that speak of whole paths");
    if (!models::has_divergent_branch(*kernel.function, kernel.facts)) return;
    if (certificate.between)
        fail_structure(where + ": no measured time is bounded where branches may diverge");
    if (!kernel.serialized.empty() && certificate.upper && certificate.all_facts &&
        has_path_facts(kernel.facts))
        fail_structure(where + ": it uses facts that speak of the path of one lane");
}

/// Paths reach every node, a block has so many at most, and a sum over blocks has one of each.
/// Where a block has several nodes, re-analysis checks which of them a path may come from.
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
        fail_structure(where + ": the table has a node that no path reaches");
    const std::size_t most = is_sum ? 1 : most_nodes_of_a_block;
    std::map<std::size_t, std::size_t> nodes; // By block.
    for (const auto& node : certificate.nodes)
        if (++nodes[node.block] > most)
            fail_structure(is_sum ? where + ": a sum over blocks has two nodes of one block"
                                  : fmt::format("{}: a block has more than {} nodes in its table",
                                                where, most));
}

/// Costs of nodes and edges are the sums over the instructions of their blocks.
void check_costs(const Certificate& certificate, const LaunchDemand& demand,
                 const std::string& where) {
    const auto costs = block_sums(demand.code, demand.tables, certificate.id);
    for (const auto& edge : certificate.edges)
        if (edge.cost != costs[certificate.nodes[edge.from].block])
            fail_structure(where + ": a cost is not the sum over its block");
    for (const auto& node : certificate.nodes)
        if (node.end && *node.end != costs[node.block])
            fail_structure(where + ": a cost is not the sum over its block");
}

/// S74: of a block, the latest end that the gaps between its instructions alone give, counted from
/// its entry, less the demand before.
std::int64_t least_end_of_beginnings(const ControlFlow& flow, const LaunchDemand& demand,
                                     std::size_t block) {
    const DemandTable& own = demand.tables.at(certificate_id::own_scheduler);
    models::Cycles now{0};
    models::Cycles latest{0};
    for (std::size_t i = flow.first[block]; i < flow.last[block]; ++i) {
        now += models::Cycles{demand.code.timings[i].value().gap.hi} - models::Cycles{own[i]};
        latest = std::max(latest, now);
    }
    return latest.count();
}

/// The ends of beginnings of paths are no earlier than the gaps allow. The rest of their costs is
/// that of other tables of times: left to re-analysis.
void check_ends_of_beginnings(const Certificate& certificate, const ControlFlow& flow,
                              const LaunchDemand& demand, const std::string& where) {
    std::map<std::size_t, std::int64_t> ends; // By block.
    for (const auto& node : certificate.nodes)
        if (node.end) {
            const auto [known, fresh] = ends.emplace(node.block, *node.end);
            if (!fresh) known->second = std::max(known->second, *node.end);
        }
    for (const auto& [block, end] : ends)
        if (end < least_end_of_beginnings(flow, demand, block))
            fail_structure(fmt::format("{}: an instruction of block 0x{:04x} issues later than its "
                                       "ends say",
                                       where, flow.blocks[block].first));
}

void check_certificate(const Certificate& certificate, const KernelCase& kernel,
                       const SideFlows& flows, const LaunchDemand& demand) {
    const std::string where = kernel.id + "/" + certificate.id;
    const ControlFlow& flow = flows.of(certificate);
    for (const auto& node : certificate.nodes)
        if (node.block >= flow.blocks.size())
            fail_structure(where + ": a node of a block that its side lacks");
    const bool is_sum = demand.tables.count(certificate.id) != 0;
    check_scope(certificate, kernel, demand, where);
    check_edges(flow, certificate, where);
    check_nodes(certificate, is_sum, where);
    check_pair_states(kernel.facts, flow, certificate, where);
    const Certificate product = with_states(kernel.facts, flow, certificate);
    check_regions(product, where);
    if (is_sum) check_costs(certificate, demand, where);
    if (certificate.is_of_beginnings()) check_ends_of_beginnings(certificate, flow, demand, where);
    check_bound(kernel, flow, product, where);
    check_witness(certificate, where);
    const auto interval = costliest_barrier_interval(demand.code, demand.tables, certificate.id);
    if (interval && certificate.bound < *interval)
        fail_structure(fmt::format("{}: a barrier interval costs {}", where, *interval));
    const auto beyond = most_beyond_limit(demand.code, demand.tables, certificate.id);
    if (beyond && certificate.bound < *beyond)
        fail_structure(fmt::format("{}: barrier intervals cost {} beyond it", where, *beyond));
}

/// What is derived again of a kernel.
struct DerivedAgain {
    WaveTables waves; ///< Of a kernel of AMD: the tables whose times are.
    ShownWarps warps; ///< Whose executions are counted.
};

DerivedAgain check_kernel(const KernelCase& kernel) {
    const SideFlows flows = check_flows(kernel);
    const LaunchDemand demand = demand_of(kernel, flows);
    // Of each side, that of the claim that uses addresses.
    std::array<std::optional<LaunchDemand>, 2> addressed;
    for (const ClaimRow& claim : kernel.claims) {
        if (!claim.queueing && !claim.by_addresses) continue;
        std::optional<LaunchDemand>& of_side = addressed.at(claim.upper ? 1 : 0);
        if (of_side || claim.queueing.has_value() != claim.upper ||
            claim.by_addresses == claim.upper || claim.quantity != "execution-time")
            fail_structure(claim.id + ": states arguments that are those of another claim");
        of_side.emplace(demand_of(kernel, flows, claim));
    }
    const auto demand_for = [&](bool upper) -> const LaunchDemand& {
        const std::optional<LaunchDemand>& of_side = addressed.at(upper ? 1 : 0);
        return of_side ? *of_side : demand;
    };
    for (const Certificate& certificate : kernel.certificates)
        check_certificate(certificate, kernel, flows, demand_for(certificate.upper));
    DerivedAgain again;
    if (is_amd(kernel.function->target)) again.waves = check_wave_tables(kernel, demand);
    for (const bool upper : {true, false})
        if (std::none_of(kernel.claims.begin(), kernel.claims.end(), [&](const ClaimRow& claim) {
                return claim.quantity == "execution-time" && claim.upper == upper;
            }))
            incomplete(kernel.id + ": no claim on the execution time");
    for (const ClaimRow& claim : kernel.claims) {
        if (!claim.warps.empty())
            again.warps = check_demand_of_warps(demand.code, demand.tables, claim);
        check_terms(demand_for(claim.upper), claim);
    }
    return again;
}

/// Which facts from the code are shown without the analysis: loop bounds only (S76).
std::string text_of(std::size_t derived, const ShownLoops& loops) {
    const std::size_t all = loops.shown + loops.unshown;
    if (all == 0) return fmt::format("{} facts from the code are left to re-analysis", derived);
    return fmt::format("{} facts from the code: {} of {} loop bounds counted again, {} left to "
                       "re-analysis",
                       derived, loops.shown, all, derived - loops.shown);
}

/// Empty where no claim counts warps by the indices of their threads.
std::string text_of(const ShownWarps& warps) {
    if (warps.shown + warps.unshown == 0) return {};
    return fmt::format("; executions of {} of {} warps counted again", warps.shown,
                       warps.shown + warps.unshown);
}

/// Empty without kernels of AMD.
std::string text_of(const WaveTables& waves) {
    if (waves.derived + waves.left == 0) return {};
    return fmt::format("; times of {} of {} tables derived again", waves.derived,
                       waves.derived + waves.left);
}

} // namespace

StepResult check_structure(const Evidence& evidence) {
    try {
        std::size_t certificates = 0;
        std::size_t claims = 0;
        std::size_t derived = 0;
        ShownLoops loops;
        WaveTables waves;
        ShownWarps warps;
        for (const auto& kernel : evidence.kernels) {
            const ShownLoops of_kernel_loops =
                check_loop_bounds(*kernel->function, kernel->facts, kernel->derived_facts.loops,
                                  kernel->launch, kernel->id);
            loops.shown += of_kernel_loops.shown;
            loops.unshown += of_kernel_loops.unshown;
            const DerivedAgain of_kernel = check_kernel(*kernel);
            waves.derived += of_kernel.waves.derived;
            waves.left += of_kernel.waves.left;
            warps.shown += of_kernel.warps.shown;
            warps.unshown += of_kernel.warps.unshown;
            certificates += kernel->certificates.size();
            claims += kernel->claims.size();
            derived += kernel->derived_facts.count;
        }
        return {"structure", Verdict::Holds,
                fmt::format(
                    "control flow, {} path tables with witnesses, sums of {} claims; {}{}{}",
                    certificates, claims, text_of(derived, loops), text_of(warps), text_of(waves))};
    } catch (const Finding& finding) {
        return {"structure", finding.verdict, finding.what()};
    } catch (const std::overflow_error& error) {
        return {"structure", Verdict::Failed, error.what()};
    }
}

} // namespace warpbound::certification::verify
