#include "certification/verify/contention.hpp"

#include "certification/verify/path_problem.hpp"
#include "certification/verify/residence.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

constexpr const char* stall = "execution-time-upper-stall";
constexpr const char* same = "execution-time-upper-same";
constexpr const char* other = "execution-time-upper-other";
constexpr const char* upper_drain = "execution-time-upper-drain";
constexpr const char* alone = "execution-time-lower";
constexpr const char* residence = "execution-time-lower-residence";
constexpr const char* slots = "execution-time-lower-slots";
constexpr const char* lower_drain = "execution-time-lower-drain";
constexpr const char* port = "execution-time-lower-port-";

std::int64_t product(std::int64_t a, std::int64_t b) {
    return (models::Cycles{a} * b).count();
}

/// A block's sum as a table: one node per block, its cost on every way out.
Lemma sum_table(const KernelCase& kernel, const std::vector<bool>& live,
                const std::vector<std::int64_t>& costs, bool upper) {
    Lemma lemma;
    lemma.upper = upper;
    std::vector<std::size_t> node(kernel.blocks.size(), SIZE_MAX);
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        if (live[block]) {
            node[block] = lemma.nodes.size();
            lemma.nodes.push_back({block, std::nullopt});
            if (kernel.blocks[block].exits) lemma.nodes.back().end = costs[block];
        }
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block)
        for (const std::size_t to : kernel.blocks[block].successors)
            if (live[block] && live[to])
                lemma.edges.push_back({node[block], node[to], costs[block]});
    return lemma;
}

} // namespace

Contention::Contention(const KernelCase& kernel, const ControlFlow& flow)
    : kernel_{kernel}, flow_{flow}, timings_{models::instruction_timings(
                                        *kernel.function, kernel.architecture, kernel.facts)},
      live_(timings_.size(), false) {
    // The costs count what can be reached, whether or not it can still end.
    std::vector<std::size_t> work{0};
    std::vector<bool> seen(kernel.blocks.size(), false);
    seen[0] = true;
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i)
            live_[i] = true;
        for (const std::size_t to : kernel.blocks[block].successors)
            if (!seen[to] && !flow.never[to]) {
                seen[to] = true;
                work.push_back(to);
            }
    }
    for (std::size_t i = 0; i < live_.size(); ++i)
        if (live_[i] && !timings_[i])
            throw Finding{Verdict::Failed, kernel.id + ": " + to_string(timings_[i].error())};
    read_shape();
}

void Contention::read_shape() {
    const models::Architecture& machine = kernel_.architecture;
    const auto value = [&](const models::ValueGroup& group, const char* path, const char* name) {
        const auto interval = models::require(machine, group, path, name);
        if (!interval)
            throw Finding{Verdict::Failed, kernel_.id + ": " + to_string(interval.error())};
        return interval.value();
    };
    blocks_ = kernel_.launch.blocks;
    warps_per_block_ = kernel_.launch.warps_per_block(
        exact_number(kernel_, machine.geometry, "geometry", "warp-size"));
    warps_ = product(blocks_, warps_per_block_);
    issue_slot_ = value(machine.schedulers, "schedulers", "issue-slot");
    resident_ = resident_blocks(kernel_, warps_per_block_);
    if (warps_ == 1) return;
    schedulers_ = exact_number(kernel_, machine.schedulers, "schedulers", "count");
    waves_ = (blocks_ + resident_ - 1) / resident_;
    if (waves_ == 1) return;
    const auto replacement = value(machine.blocks, "blocks", "replacement");
    const auto start = value(machine.blocks, "blocks", "start");
    const auto sum = [](std::int64_t a, std::int64_t b) {
        return (models::Cycles{a} + models::Cycles{b}).count();
    };
    refill_ = {sum(replacement.lo, start.lo), std::nullopt, sum(replacement.hi, start.hi)};
}

std::int64_t Contention::instruction_cost(const std::string& lemma, std::size_t i) const {
    if (!live_[i]) return 0;
    const auto& timing = timings_[i].value();
    const auto& guard = kernel_.function->instructions[i].guard;
    const bool surely = !guard || guard->always();
    const models::UnitScope scope = kernel_.architecture.units[timing.unit].scope;
    const std::int64_t occupied = product(timing.initiation.hi, timing.passes.hi);
    const auto drain = [&](bool upper) {
        const auto* value = kernel_.architecture.write_buffer.find("drain");
        if (value == nullptr || !value->interval)
            throw Finding{Verdict::Failed, kernel_.id + ": write-buffer/drain is unknown"};
        return upper ? product(value->interval->hi, timing.passes.hi)
                     : product(value->interval->lo, timing.passes.lo);
    };
    if (lemma == same)
        return scope == models::UnitScope::Warp ? issue_slot_.hi
                                                : std::max(issue_slot_.hi, occupied);
    if (lemma == other) return scope == models::UnitScope::Core ? occupied : 0;
    if (lemma == upper_drain) return timing.enters_write_buffer ? drain(true) : 0;
    if (lemma == lower_drain) return timing.enters_write_buffer && surely ? drain(false) : 0;
    if (lemma == slots) return timing.gap.lo > 0 && timing.gap_taken.lo > 0 ? issue_slot_.lo : 0;
    const std::string unit = kernel_.architecture.units[timing.unit].name;
    return surely && lemma == port + unit ? product(timing.initiation.lo, timing.passes.lo) : 0;
}

std::int64_t Contention::largest(const std::string& lemma) const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < timings_.size(); ++i)
        most = std::max(most, instruction_cost(lemma, i));
    return most;
}

std::optional<std::vector<std::int64_t>> Contention::block_costs(const std::string& lemma) const {
    const bool sums = lemma == same || lemma == other || lemma == upper_drain ||
                      lemma == lower_drain || lemma == slots || lemma.rfind(port, 0) == 0;
    if (!sums) return std::nullopt;
    std::vector<std::int64_t> costs;
    for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
        models::Cycles sum{0};
        for (std::size_t i = flow_.first[block]; i <= flow_.last[block]; ++i)
            sum += models::Cycles{instruction_cost(lemma, i)};
        costs.push_back(sum.count());
    }
    return costs;
}

std::int64_t Contention::barriers() const {
    if (warps_per_block_ == 1) return 0;
    const std::vector<bool> live = live_blocks(kernel_, flow_, std::nullopt);
    models::Cycles passed{0};
    for (std::size_t block = 0; block < kernel_.blocks.size(); ++block) {
        std::int64_t here = 0;
        for (std::size_t i = flow_.first[block]; i <= flow_.last[block]; ++i)
            if (live[block] && timings_[i].value().is_barrier_wait) ++here;
        if (here == 0) continue;
        std::vector<std::int64_t> visits(kernel_.blocks.size(), 0);
        visits[block] = 1;
        const Lemma most = sum_table(kernel_, live, visits, true);
        const Lemma fewest = sum_table(kernel_, live, visits, false);
        const auto times = PathProblem{flow_, most}.best();
        if (times != PathProblem{flow_, fewest}.best())
            throw Finding{Verdict::Failed,
                          fmt::format("{}: paths pass the barrier in block 0x{:04x} "
                                      "unequally often",
                                      kernel_.id, kernel_.blocks[block].first)};
        passed += models::Cycles{here} * times.value_or(0);
    }
    return passed.count();
}

std::vector<Term> Contention::upper_terms() const {
    std::vector<Term> terms{{waves_, 0, stall}};
    const std::int64_t windows = product(barriers() + 1, waves_);
    std::int64_t on_scheduler = per_scheduler(warps_);
    if (windows > 1) {
        // S13: the block that is on the chain all the time counts once, the others per window.
        const std::int64_t together = per_scheduler(warps_per_block_);
        const std::int64_t in_windows = together > warps_per_block_ / windows
                                            ? warps_per_block_
                                            : std::min(warps_per_block_, windows * together);
        const std::int64_t whole = waves_ == 1 ? 1 : resident_ == 1 ? blocks_ : 0;
        on_scheduler = product(whole, together) + product(blocks_ - whole, in_windows);
    }
    terms.push_back({on_scheduler, 0, same});
    terms.push_back({warps_ - on_scheduler, 0, other});
    // S14: a block that is cut at the start of the last one.
    if (waves_ > 1 && resident_ > 1) terms.push_back({2, 0, same});
    if (windows > 1) {
        terms.push_back({windows - 1, largest(same), ""});
        terms.push_back({waves_ - 1, refill_.hi, ""});
    }
    terms.push_back({warps_, 0, upper_drain});
    return terms;
}

std::vector<Term> Contention::lower_terms(const std::string& first) const {
    const std::int64_t share = per_scheduler(warps_);
    if (first == alone) {
        if (waves_ == 1) return {{1, 0, alone}};
        return {{1, 0, alone}, {waves_ - 1, 0, residence}, {waves_ - 1, refill_.lo, ""}};
    }
    if (first == slots) return {{share, 0, slots}, {1, 1 - issue_slot_.lo, ""}};
    if (first == lower_drain) return {{warps_, 0, lower_drain}};
    for (const auto& unit : kernel_.architecture.units)
        if (first == port + unit.name && unit.scope != models::UnitScope::Warp)
            return {{unit.scope == models::UnitScope::Core ? warps_ : share, 0, first},
                    {1, -largest(first), ""}};
    throw Finding{Verdict::Failed, kernel_.id + ": a lower bound cannot rest on '" + first + "'"};
}

void Contention::check_terms(const ClaimRow& claim) const {
    const auto lemma_bound = [&](const std::string& id) -> const Lemma* {
        const auto found = std::find_if(kernel_.lemmas.begin(), kernel_.lemmas.end(),
                                        [&](const Lemma& lemma) { return lemma.id == id; });
        return found == kernel_.lemmas.end() ? nullptr : &*found;
    };
    std::vector<Term> expected;
    if (claim.quantity == "measured-time") {
        const std::string id = claim.upper ? "measured-time-upper" : "measured-time-lower";
        const Lemma* lemma = lemma_bound(id);
        if (lemma == nullptr || !lemma->between)
            throw Finding{Verdict::Incomplete, claim.id + ": lemma " + id + " is missing"};
        // C3: each read adds its own latency; the safe end of each.
        std::vector<const models::InstructionTiming*> reads;
        for (const std::size_t block : {lemma->between->first, lemma->between->second})
            for (std::size_t i = flow_.first.at(block); i <= flow_.last.at(block); ++i)
                if (kernel_.function->instructions[i].opcode_class ==
                    assembly::OpcodeClass::ClockRead)
                    reads.push_back(&timings_[i].value());
        if (reads.size() < 2)
            throw Finding{Verdict::Failed, claim.id + ": no two clock reads in its blocks"};
        const auto& first = reads.front()->latency;
        const auto& last = reads.back()->latency;
        expected = {{1, 0, id}, {1, claim.upper ? last.hi - first.lo : last.lo - first.hi, ""}};
    } else if (warps_ == 1) {
        expected = {{1, 0, claim.upper ? "execution-time-upper" : "execution-time-lower"}};
    } else if (claim.upper) {
        expected = upper_terms();
    } else {
        expected = lower_terms(claim.terms.empty() ? "" : claim.terms.front().lemma);
    }
    models::Cycles sum{0};
    std::size_t used = 0;
    for (Term& term : expected) {
        if (!term.lemma.empty()) {
            const Lemma* lemma = lemma_bound(term.lemma);
            if (lemma == nullptr) {
                // Its term is 0: nothing of that kind is on any path.
                const auto costs = block_costs(term.lemma);
                if (term.count == 0 ||
                    (costs && std::all_of(costs->begin(), costs->end(),
                                          [](std::int64_t c) { return c == 0; })))
                    continue;
                throw Finding{Verdict::Incomplete,
                              claim.id + ": lemma " + term.lemma + " is missing"};
            }
            term.cycles = lemma->bound;
            if (warps_ > 1) term.cycles = std::max<std::int64_t>(0, term.cycles);
        }
        const auto stated =
            std::find_if(claim.terms.begin(), claim.terms.end(), [&](const Term& t) {
                return t.count == term.count && t.cycles == term.cycles && t.lemma == term.lemma;
            });
        const std::int64_t value = product(term.cycles, term.count);
        sum += models::Cycles{value};
        if (stated != claim.terms.end())
            ++used;
        else if (value != 0)
            throw Finding{Verdict::Failed,
                          fmt::format("{}: its sum lacks {} x {} cycles ({})", claim.id, term.count,
                                      term.cycles, term.lemma.empty() ? "machine" : term.lemma)};
    }
    if (used != claim.terms.size())
        throw Finding{Verdict::Failed, claim.id + ": its sum has a term that nothing explains"};
    if (sum.count() != claim.value)
        throw Finding{Verdict::Failed, fmt::format("{}: claims {}, its terms add up to {}",
                                                   claim.id, claim.value, sum.count())};
}

} // namespace warpbound::certification::verify
