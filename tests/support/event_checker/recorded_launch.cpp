#include "tests/support/event_checker/recorded_launch.hpp"

#include "assembly/isa/operand_reads.hpp"
#include "harness/recorded_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace warpbound::tests {

namespace {

using harness::simulator::AtomicServed;
using harness::simulator::CacheLevel;
using harness::simulator::Collected;
using harness::simulator::Completed;
using harness::simulator::Drained;
using harness::simulator::DramServed;
using harness::simulator::HandedOver;
using harness::simulator::InstructionsFetched;
using harness::simulator::LineAccessed;
using harness::simulator::LineFilled;
using harness::simulator::OperandRead;
using harness::simulator::OperationStepped;
using harness::simulator::QueuedRead;
using harness::simulator::ReadsGranted;
using harness::simulator::SourcesRead;
using harness::simulator::UnitEntered;
using harness::simulator::WarpEnded;

constexpr std::size_t reported_limit = 20;

bool leaves_block(const assembly::ControlFlowGraph& graph, const Issue& before,
                  const Issue& issue) {
    const auto& block = graph.blocks[before.event.block];
    return before.event.instruction == block.last &&
           (issue.event.block != before.event.block ||
            issue.event.instruction != before.event.instruction + 1);
}

/// Assigns each event to its warp and issue.
class EventSorter {
public:
    explicit EventSorter(RecordedLaunch& launch) : launch_{launch}, waiting_(launch.warps.size()) {}

    void add(WarpRecord& warp, const WarpStarted& started) { warp.starts.push_back(started); }
    void add(WarpRecord& warp, const Issued& issued) {
        if (issued.instruction >= launch_.timings.size() || !launch_.timings[issued.instruction] ||
            issued.block >= launch_.kernel.graph->blocks.size()) {
            launch_.report("order: an instruction that has no timing or no block issued");
            return;
        }
        Issue issue;
        issue.event = issued;
        if (!warp.issues.empty()) {
            const Issue& before = warp.issues.back();
            issue.paired =
                issued.cycle == before.event.cycle && launch_.gap_after(before, issue).lo == 0;
        }
        warp.issues.push_back(issue);
        if (!launch_.accesses_at_unit())
            record_access(issue, {issued.cycle, issued.warp, warp.issues.size() - 1});
    }
    template <typename Later> Issue* issue_of(WarpRecord& warp, const Later& later) {
        const auto number = static_cast<std::size_t>(later.number);
        if (later.number >= 0 && number < warp.issues.size() &&
            warp.issues[number].event.instruction == later.instruction)
            return &warp.issues[number];
        launch_.report(fmt::format("causal: warp {} has no issue {} of instruction {} at {}",
                                   later.warp, later.number, later.instruction, later.cycle));
        return nullptr;
    }
    void add(WarpRecord& warp, const SourcesRead& read) {
        Issue* const issue = issue_of(warp, read);
        if (issue == nullptr) return;
        issue->sources_read.push_back(read.cycle);
        issue->sources_due.push_back(read.cycle - waited_for_reads(*issue));
    }
    void add(WarpRecord& warp, const QueuedRead& read) {
        if (Issue* issue = issue_of(warp, read)) issue->queued.push_back(read);
    }
    /// Events of a read come before those of the times that it delays.
    static std::int64_t waited_for_reads(const Issue& issue) {
        return issue.queued.empty() ? 0 : issue.queued.front().waited;
    }
    void add(WarpRecord& warp, const Completed& done) {
        Issue* const issue = issue_of(warp, done);
        if (issue == nullptr) return;
        issue->completed.push_back(done.cycle);
        const bool is_delayed = assembly::has_result(launch_.instruction(*issue));
        issue->due.push_back(done.cycle - done.waited -
                             (is_delayed ? waited_for_reads(*issue) : 0));
    }
    void add(WarpRecord&, const Drained& drained) { drained_.push_back(drained); }
    /// Stores drain in the order in which they entered, no earlier than that cycle.
    void settle_drains() {
        for (const Drained& drained : drained_)
            settle(launch_.warps[static_cast<std::size_t>(drained.warp)], drained);
    }
    void add(WarpRecord& warp, const OperandRead& read) {
        if (Issue* issue = issue_of(warp, read)) issue->reads.push_back(read);
    }
    void add(WarpRecord& warp, const Collected& collected) {
        if (Issue* issue = issue_of(warp, collected)) issue->collected.push_back(collected);
    }
    void add(WarpRecord& warp, const UnitEntered& entered) {
        Issue* const issue = issue_of(warp, entered);
        if (issue == nullptr) return;
        issue->entered.push_back(entered);
        if (launch_.accesses_at_unit())
            record_access(*issue,
                          {entered.cycle, entered.warp, static_cast<std::size_t>(entered.number)});
    }
    void add(WarpRecord& warp, const ReadsGranted& granted) {
        if (Issue* issue = issue_of(warp, granted)) issue->granted.push_back(granted);
    }
    void add(WarpRecord& warp, const HandedOver& handed_over) {
        if (Issue* issue = issue_of(warp, handed_over)) issue->handed_over.push_back(handed_over);
    }
    static void add(WarpRecord& warp, const InstructionsFetched& fetched) {
        warp.fetches.push_back(fetched);
    }
    static void add(WarpRecord& warp, const WarpEnded& ended) { warp.ends.push_back(ended.cycle); }
    /// A load leaves its queue with the look-up of its last line. The loads of a warp leave it in
    /// order.
    void add(WarpRecord& warp, const LineAccessed& accessed) {
        if (accessed.level != CacheLevel::L1 || accessed.write) return;
        auto& loads = waiting_[static_cast<std::size_t>(accessed.warp)].loads;
        if (loads.empty()) {
            launch_.report(fmt::format("causal: no load of warp {} looks up a line at {}",
                                       accessed.warp, accessed.cycle));
            return;
        }
        Issue& oldest = warp.issues[loads.front()];
        launch_.load_lines.push_back({.access = &accessed,
                                      .index = loads.front(),
                                      .line = static_cast<std::int64_t>(oldest.lines.size())});
        oldest.lines.push_back(accessed);
        if (static_cast<std::int64_t>(oldest.lines.size()) < oldest.event.passes) return;
        launch_.loads_left.emplace_back(accessed.cycle, accessed.warp, loads.front());
        loads.pop_front();
    }
    void add(WarpRecord& warp, const AtomicServed& served) {
        if (Issue* issue = issue_of(warp, served)) issue->served.push_back(served);
        launch_.atomics.push_back(served);
    }
    static void add(WarpRecord&, const LineFilled&) {}
    static void add(WarpRecord&, const DramServed&) {}
    static void add(WarpRecord&, const OperationStepped&) {}

private:
    void settle(WarpRecord& warp, const Drained& drained) {
        auto& stores = waiting_[static_cast<std::size_t>(drained.warp)].stores;
        if (stores.empty() || std::get<0>(stores.front()) > drained.cycle) {
            launch_.report(fmt::format("causal: nothing of warp {} can drain at {}", drained.warp,
                                       drained.cycle));
            return;
        }
        const std::size_t index = std::get<2>(stores.front());
        warp.issues[index].drained = drained.cycle;
        launch_.drains.emplace_back(drained.cycle, drained.warp, index);
        stores.pop_front();
    }

    /// The loads and stores of one warp in the queues, in the order in which they entered.
    struct Waiting {
        std::deque<std::size_t> loads; ///< Indices of its issues.
        std::deque<Entry> stores;
    };

    void record_access(const Issue& issue, const Entry& entry) {
        Waiting& waiting = waiting_[static_cast<std::size_t>(issue.event.warp)];
        if (launch_.is_cached_load(issue)) {
            launch_.loads.push_back(entry);
            waiting.loads.push_back(std::get<2>(entry));
        } else if (launch_.is_store(issue)) {
            launch_.stores.push_back(entry);
            waiting.stores.push_back(entry);
        }
    }

    RecordedLaunch& launch_;
    std::vector<Waiting> waiting_; ///< Per warp.
    std::vector<Drained> drained_;
};

} // namespace

RecordedLaunch::RecordedLaunch(const harness::Kernel& of_kernel,
                               const models::Architecture& on_machine,
                               const models::WarpPolicy& under_policy, const RecordedRun& of_run)
    : kernel{of_kernel}, machine{on_machine}, policy{under_policy}, run{of_run},
      timings{models::instruction_timings(*kernel.function, machine, *kernel.facts,
                                          kernel.launch.threads)},
      warps_per_block{static_cast<int>(
          kernel.launch.warps_per_block(value_of(machine.geometry, "warp-size").lo))},
      schedulers{static_cast<int>(value_of(machine.schedulers, "count").lo)},
      warps(static_cast<std::size_t>(kernel.launch.blocks * warps_per_block)) {
    for (const auto& instruction : kernel.function->instructions)
        effects.push_back(instruction.effects);
    for (std::size_t index = 0; run.trace != nullptr && index < timings.size(); ++index)
        if (const auto& instruction = kernel.function->instructions[index];
            timings[index] && harness::has_recorded_addresses(instruction))
            timings[index] = harness::recorded_timing(instruction, machine, timings[index].value());
    has_caches = std::any_of(timings.begin(), timings.end(), [](const auto& timing) {
        return timing && timing.value().through_caches;
    });
}

void RecordedLaunch::report(std::string text) {
    if (found.size() < reported_limit) found.push_back(std::move(text));
}

void RecordedLaunch::report_issue(const Issue& issue, std::string_view what) {
    const auto colon = what.find(':');
    report(fmt::format("{}: warp {} issue {} (instruction {}) at {}:{}", what.substr(0, colon),
                       issue.event.warp, issue.event.number, issue.event.instruction,
                       issue.event.cycle, what.substr(colon + 1)));
}

Interval RecordedLaunch::gap_after(const Issue& before, const Issue& issue) const {
    const InstructionTiming& t = timing(before);
    if (!leaves_block(*kernel.graph, before, issue)) return t.gap;
    if ((before.event.lanes & issue.event.lanes) == 0) return t.gap_taken; // Other lanes (C41).
    std::optional<Interval> gap;
    for (const auto& edge : kernel.graph->edges) {
        if (edge.from != before.event.block || edge.to != issue.event.block) continue;
        const Interval& of_edge = edge.kind == assembly::EdgeKind::Taken ? t.gap_taken : t.gap;
        if (!gap) gap = of_edge;
        gap->lo = std::min(gap->lo, of_edge.lo);
        gap->hi = std::max(gap->hi, of_edge.hi);
    }
    return gap.value_or(t.gap);
}

bool RecordedLaunch::collect() {
    EventSorter sorter{*this};
    std::int64_t last = 0;
    for (const Event& event : run.events) {
        const std::int64_t cycle = std::visit([](const auto& what) { return what.cycle; }, event);
        const int warp = std::visit([](const auto& what) { return what.warp; }, event);
        if (cycle < last) report(fmt::format("order: event of cycle {} after {}", cycle, last));
        last = std::max(last, cycle);
        if (warp < 0 || static_cast<std::size_t>(warp) >= warps.size()) {
            report(fmt::format("order: there is no warp {}", warp));
            return false;
        }
        std::visit(
            [&](const auto& what) { sorter.add(warps[static_cast<std::size_t>(warp)], what); },
            event);
    }
    sorter.settle_drains();
    for (const WarpRecord& warp : warps)
        if (warp.starts.size() != 1 || warp.ends.size() != 1 || warp.issues.empty())
            report(fmt::format("C2: a warp starts {} times, issues {} and ends {} times",
                               warp.starts.size(), warp.issues.size(), warp.ends.size()));
    return found.empty();
}

std::int64_t RecordedLaunch::entry_of_loads() const {
    std::int64_t least = 0;
    for (const auto opcode_class :
         {assembly::OpcodeClass::LoadGlobal, assembly::OpcodeClass::LoadLocal}) {
        const auto described = machine.classes.find(opcode_class);
        if (!machine.has_memory_queue() || described == machine.classes.end()) continue;
        const auto* const entry = described->second.values.find("entry");
        if (entry != nullptr && (least == 0 || entry->interval->lo < least))
            least = entry->interval->lo;
    }
    return least;
}

std::int64_t RecordedLaunch::control_free_at(const Issue& issue, std::int64_t cycle) const {
    const auto found = control_free.find(scheduler_of(issue));
    if (found == control_free.end()) return cycle;
    const auto after = found->second.lower_bound(cycle);
    return after == found->second.begin() ? cycle : std::max(cycle, std::prev(after)->second);
}

std::int64_t RecordedLaunch::place_free_at(const Issue& issue, std::int64_t cycle,
                                           const Issue* except) const {
    const auto found = queued.find(scheduler_of(issue));
    if (found == queued.end()) return cycle;
    std::vector<std::int64_t> leaving; // After `cycle`, latest first.
    for (auto other = found->second.rbegin(); other != found->second.rend(); ++other) {
        if (*other == except || *other == &issue || (*other)->event.cycle > cycle) continue;
        if ((*other)->handed_over.front().cycle <= cycle) break;
        leaving.push_back((*other)->handed_over.front().cycle);
    }
    const auto places = static_cast<std::size_t>(value_of(machine.memory_queue, "places").lo);
    return leaving.size() < places ? cycle : leaving[places - 1];
}

} // namespace warpbound::tests
