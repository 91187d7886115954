#include "certification/verify/wavefront/wave_tables.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/flow/path_problem.hpp"
#include "certification/verify/wavefront/wave_code.hpp"
#include "certification/verify/wavefront/wave_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

namespace ids = certificate_id;

/// Blocks executed by a wavefront, and what they leave behind.
class WaveBlocks {
public:
    WaveBlocks(const TimedCode& code, const ControlFlow& flow, const WaveCode& waves,
               const WaveTimes& times)
        : code_{code}, flow_{flow}, times_{times}, live_{live_blocks(flow, std::nullopt)},
          touched_{touched_from_blocks(waves)} {}

    /// Issues all instructions; tells `seen` of each and of its issue. Returns that of the last
    /// one.
    template <class Seen>
    std::int64_t execute(Moments& moments, std::size_t block, const Seen& seen) const {
        std::int64_t issued = undecided;
        for (std::size_t i = flow_.first[block]; i <= flow_.last[block]; ++i) {
            issued = times_.issue(moments, i);
            seen(i, issued);
            if (i != flow_.last[block]) times_.follow(moments, i, issued, false);
        }
        return issued;
    }
    std::int64_t execute(Moments& moments, std::size_t block) const {
        return execute(moments, block, [](std::size_t, std::int64_t) {});
    }

    /// On the edge to a successor. Where both ways lead there the one that is safe for the side.
    [[nodiscard]] Moments on_edge(Moments moments, std::size_t block, std::size_t to,
                                  std::int64_t issued) const {
        const std::size_t last = flow_.last[block];
        const auto& instruction = code_.kernel.function->instructions[last];
        const bool is_transfer = assembly::transfers_control(instruction.control_flow);
        const auto target = target_of(instruction);
        const bool may_fall =
            flow_.first[to] == last + 1 && (!is_transfer || assembly::is_guarded(instruction));
        const bool may_transfer =
            is_transfer && (!target || code_.kernel.function->index_of(*target) == flow_.first[to]);
        times_.follow(moments, last, issued, may_transfer);
        if (!may_fall || !may_transfer) return moments;
        Moments other = moments;
        times_.follow(other, last, issued, false);
        auto& next = moments[WaveTimes::next_issue];
        const std::int64_t fallen = other[WaveTimes::next_issue];
        next = times_.is_upper() ? std::max(next, fallen) : std::min(next, fallen);
        return moments;
    }

    [[nodiscard]] bool is_live(std::size_t block) const { return live_[block]; }
    /// Whether nothing from this block on waits for the component.
    [[nodiscard]] bool is_idle(std::size_t component, std::size_t block) const {
        return times_.is_idle(component, touched_[block]);
    }
    [[nodiscard]] const ControlFlow& flow() const { return flow_; }
    [[nodiscard]] const WaveTimes& times() const { return times_; }

private:
    using Touched = std::vector<std::vector<bool>>;

    /// Per block: the register classes that it or a later block touches.
    [[nodiscard]] Touched touched_from_blocks(const WaveCode& waves) const {
        Touched touched(flow_.blocks.size(), std::vector<bool>(waves.register_classes, false));
        for (std::size_t block = 0; block < touched.size(); ++block)
            for (std::size_t i = flow_.first[block]; i <= flow_.last[block]; ++i)
                for (const std::size_t reg : waves.instructions[i].touches)
                    touched[block][reg] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t block = 0; block < touched.size(); ++block)
                for (const std::size_t to : flow_.blocks[block].successors)
                    for (std::size_t reg = 0; reg < waves.register_classes; ++reg)
                        if (touched[to][reg] && !touched[block][reg])
                            changed = touched[block][reg] = true;
        }
        return touched;
    }

    const TimedCode& code_;
    const ControlFlow& flow_;
    const WaveTimes& times_;
    std::vector<bool> live_;
    Touched touched_;
};

/// A table of longest delays: a node is a block and the one moment that decides at its entry.
class LongestDelays {
public:
    /// `less`: per block, subtracted from what it costs. `less_before`: where paths may end at any
    /// issue, per instruction, likewise for what comes after it in its block; else null.
    LongestDelays(const WaveBlocks& blocks, const std::vector<std::int64_t>& less,
                  const DemandTable* less_before)
        : blocks_{blocks}, less_{less}, less_before_{less_before} {
        table_.id = "delays";
        node_of(0, WaveTimes::next_issue);
        for (std::size_t node = 0; node < table_.nodes.size(); ++node)
            explore(node);
    }

    /// None where a block has more nodes than are allowed, or no path ends.
    [[nodiscard]] std::optional<std::int64_t> longest() const {
        std::map<std::size_t, std::size_t> nodes;
        for (const auto& node : table_.nodes)
            if (++nodes[node.block] > most_nodes_of_a_block) return std::nullopt;
        return PathProblem{blocks_.flow(), table_}.best();
    }

private:
    std::size_t node_of(std::size_t block, std::size_t component) {
        const auto [known, fresh] =
            numbers_.emplace(std::pair{block, component}, table_.nodes.size());
        if (fresh) {
            table_.nodes.push_back({block, std::nullopt});
            components_.push_back(component);
        }
        return known->second;
    }

    void explore(std::size_t node) {
        const std::size_t block = table_.nodes[node].block;
        Moments moments(blocks_.times().size(), undecided);
        moments[components_[node]] = 0;
        models::Cycles before{0};
        const std::int64_t issued =
            blocks_.execute(moments, block, [&](std::size_t i, std::int64_t at) {
                if (less_before_ == nullptr) return;
                end_at(node, at, before.count());
                before += models::Cycles{(*less_before_)[i]};
            });
        if (blocks_.flow().blocks[block].exits)
            end_at(node, blocks_.times().completion(moments, issued), less_[block]);
        for (const std::size_t to : blocks_.flow().blocks[block].successors)
            if (blocks_.is_live(to)) leave(node, to, blocks_.on_edge(moments, block, to, issued));
    }

    /// Of several ends the latest counts.
    void end_at(std::size_t node, std::int64_t moment, std::int64_t less) {
        if (moment <= undecided) return;
        auto& end = table_.nodes[node].end;
        end = std::max(end.value_or(moment - less), moment - less);
    }

    /// A moment that is not after the next issue decides nothing: every later one waits for that.
    void leave(std::size_t node, std::size_t to, const Moments& moments) {
        const std::int64_t less = less_[table_.nodes[node].block];
        for (std::size_t component = 0; component < moments.size(); ++component) {
            if (moments[component] <= undecided || blocks_.is_idle(component, to)) continue;
            if (component != WaveTimes::next_issue &&
                moments[component] <= moments[WaveTimes::next_issue])
                continue;
            const std::size_t target = node_of(to, component);
            table_.edges.push_back({node, target, moments[component] - less});
        }
    }

    const WaveBlocks& blocks_;
    const std::vector<std::int64_t>& less_;
    const DemandTable* less_before_;
    Certificate table_;
    std::vector<std::size_t> components_; ///< Per node.
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers_;
};

/// A lower table: per node the earliest moments, counted from what the table has cost up to it.
/// They only ever decrease, and stop where no path through the table costs more than the wavefront
/// takes.
class EarliestMoments {
public:
    EarliestMoments(const WaveBlocks& blocks, const Certificate& table, bool ends_at_issue)
        : blocks_{blocks}, table_{table}, ends_at_issue_{ends_at_issue}, out_(table.nodes.size()),
          moments_(table.nodes.size()), changes_(table.nodes.size(), 0) {
        for (std::size_t edge = 0; edge < table.edges.size(); ++edge)
            out_[table.edges[edge].from].push_back(edge);
        moments_[0] = Moments(blocks.times().size(), 0);
        work_.push_back(0);
    }

    /// Throws `Finding` when the table costs more.
    void check(const std::string& where) {
        while (!work_.empty()) {
            const std::size_t node = work_.back();
            work_.pop_back();
            pass(node, where);
        }
    }

private:
    static constexpr int followed = 4096; ///< Changes of a node before only its issue is kept.

    void pass(std::size_t node, const std::string& where) {
        const std::size_t block = table_.nodes[node].block;
        Moments moments = *moments_[node];
        const std::int64_t issued = blocks_.execute(moments, block);
        if (const auto& cost = table_.nodes[node].end) {
            const std::int64_t end =
                ends_at_issue_ ? issued : blocks_.times().completion(moments, issued);
            if (end < *cost)
                refuted(fmt::format("{}: a path costs {} cycles more than a wavefront takes", where,
                                    *cost - end));
        }
        for (const std::size_t edge : out_[node]) {
            const auto& step = table_.edges[edge];
            Moments there = blocks_.on_edge(moments, block, table_.nodes[step.to].block, issued);
            raise_to_issue(there);
            for (std::int64_t& moment : there)
                moment -= step.cost;
            join(step.to, std::move(there), where);
        }
    }

    void join(std::size_t node, Moments there, const std::string& where) {
        if (!moments_[node]) {
            moments_[node] = std::move(there);
            work_.push_back(node);
            return;
        }
        Moments joined = *moments_[node];
        for (std::size_t i = 0; i < joined.size(); ++i)
            joined[i] = std::min(joined[i], there[i]);
        if (++changes_[node] > followed) std::fill(joined.begin() + 1, joined.end(), undecided);
        raise_to_issue(joined);
        if (joined == *moments_[node]) return;
        if (changes_[node] > 2 * followed)
            refuted(where + ": its costs in a loop exceed what a wavefront takes");
        moments_[node] = std::move(joined);
        work_.push_back(node);
    }

    /// What is over by the next issue delays nothing until then: it may as well end with it (S3).
    static void raise_to_issue(Moments& moments) {
        for (std::int64_t& moment : moments)
            moment = std::max(moment, moments[WaveTimes::next_issue]);
    }

    const WaveBlocks& blocks_;
    const Certificate& table_;
    bool ends_at_issue_;
    std::vector<std::vector<std::size_t>> out_; ///< Edges by source.
    std::vector<std::optional<Moments>> moments_;
    std::vector<int> changes_;
    std::vector<std::size_t> work_;
};

/// Compares the best path under loop bounds: facts about whole paths only make the bound tighter,
/// which its script proves of the same table. False where it is not shown: there are too many
/// nodes, or taking the operations of a counter in order, which they need not be, is too late.
bool check_upper(const WaveBlocks& blocks, const std::vector<std::int64_t>& less,
                 const DemandTable* less_before, const Certificate& certificate,
                 bool waits_in_open_order, const std::string& where) {
    const auto longest = LongestDelays{blocks, less, less_before}.longest();
    if (!longest) return false;
    if (*longest <= certificate.bound) return true;
    const auto claimed = PathProblem{blocks.flow(), certificate}.best();
    if (claimed && *claimed >= *longest) return true;
    if (!waits_in_open_order)
        refuted(fmt::format("{}: a path of a wavefront takes {} cycles, its table says {}", where,
                            *longest, claimed.value_or(certificate.bound)));
    return false;
}

/// S52: stores whose use of the port counts with their drain.
std::vector<bool> stores_without_port(const LaunchDemand& demand) {
    const TimedCode& code = demand.code;
    std::vector<bool> portless(code.timings.size(), false);
    for (std::size_t i = 0; i < portless.size(); ++i) {
        if (!code.reachable[i]) continue;
        const auto& timing = code.timings[i].value();
        portless[i] = timing.enters_write_buffer && is_port_of_multiprocessor(code, timing) &&
                      port_occupancy(timing) > 0 && demand.tables.at(ids::other_schedulers)[i] == 0;
    }
    return portless;
}

/// Not sums of demand, nor what a sum costs between two barriers.
bool has_times(const Certificate& certificate, const LaunchDemand& demand) {
    return demand.tables.count(certificate.id) == 0 && !certificate.between &&
           !certificate.id.starts_with(ids::barrier_interval);
}

} // namespace

WaveTables check_wave_tables(const KernelCase& kernel, const LaunchDemand& demand) {
    const TimedCode& code = demand.code;
    const WaveCode waves = wave_code_of(code);
    WaveTables tables;
    for (const Certificate& certificate : kernel.certificates) {
        if (!has_times(certificate, demand)) continue;
        const std::string where = kernel.id + "/" + certificate.id;
        const bool is_of_beginnings = certificate.is_of_beginnings();
        const bool is_stall = certificate.id == ids::stall || is_of_beginnings;
        const bool is_alone =
            certificate.id == ids::upper_path || certificate.id == ids::lower_path;
        // Its drains are terms of their own (S28).
        const bool is_isolated = certificate.id == ids::in_isolation;
        const bool is_residency = certificate.id == ids::lower_residency;
        if (!is_stall && !is_alone && !is_isolated && !is_residency) {
            ++tables.left;
            continue;
        }
        const ControlFlow flow = is_of_beginnings    ? flow_of_beginnings(code.upper_flow)
                                 : certificate.upper ? code.upper_flow
                                                     : *code.represented_flow;
        const WaveTimes times{code, waves, certificate.upper, is_alone,
                              is_stall ? stores_without_port(demand) : std::vector<bool>{}};
        const WaveBlocks blocks{code, flow, waves, times};
        bool derived = true;
        if (certificate.upper) {
            const std::vector<std::int64_t> less =
                is_stall ? block_sums(code, demand.tables, ids::own_scheduler)
                         : std::vector<std::int64_t>(flow.blocks.size(), 0);
            derived = check_upper(
                blocks, less, is_of_beginnings ? &demand.tables.at(ids::own_scheduler) : nullptr,
                certificate, waves.waits_in_open_order, where);
        } else {
            EarliestMoments{blocks, certificate, is_residency}.check(where);
        }
        ++(derived ? tables.derived : tables.left);
    }
    return tables;
}

} // namespace warpbound::certification::verify
