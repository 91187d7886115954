#include "tests/unit/harness/simulator/invariants.hpp"

#include "assembly/isa/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace warpbound::harness::simulator::test {

namespace {

struct Issue {
    Issued event;
    std::int64_t completed = 0;
    std::int64_t occupied_until = 0; ///< Of its port.
};

class Checker {
public:
    Checker(const TestProgram& program, const models::Architecture& machine, models::Launch launch,
            const std::vector<Event>& events, bool work_conserving)
        : program_{program}, machine_{machine}, timings_{models::instruction_timings(
                                                    program.function, machine, program.facts)},
          warps_per_block_{static_cast<int>(launch.warps_per_block())},
          schedulers_{static_cast<int>(machine.schedulers.find("count")->interval->lo)},
          slot_{machine.schedulers.find("issue-slot")->interval->lo},
          work_conserving_{work_conserving},
          issues_(static_cast<std::size_t>(launch.blocks * launch.warps_per_block())) {
        collect(events);
    }

    std::vector<std::string> run() {
        check_choices();
        check_ports();
        check_buffer();
        for (const auto& warp : issues_)
            for (std::size_t place = 0; place < warp.size(); ++place)
                check_issue(warp, place);
        return std::move(found_);
    }

private:
    const models::InstructionTiming& timing(const Issue& issue) const {
        return timings_[issue.event.instruction].value();
    }
    const assembly::Instruction& instruction(const Issue& issue) const {
        return program_.function.instructions[issue.event.instruction];
    }
    void complain(const Issue& issue, std::string_view what) {
        found_.push_back(fmt::format("warp {} instruction {} cycle {}: {}", issue.event.warp,
                                     issue.event.instruction, issue.event.cycle, what));
    }
    std::tuple<std::size_t, int> port_of(const Issue& issue) const {
        const std::size_t unit = timing(issue).unit;
        switch (machine_.units[unit].scope) {
        case models::UnitScope::Warp:
            return {unit, issue.event.warp};
        case models::UnitScope::Partition:
            return {unit, issue.event.warp % schedulers_};
        case models::UnitScope::Core:
            break;
        }
        return {unit, 0};
    }

    void collect(const std::vector<Event>& events) {
        std::int64_t last = 0;
        for (const Event& event : events) {
            const std::int64_t cycle = std::visit([](const auto& e) { return e.cycle; }, event);
            if (cycle < last) found_.push_back(fmt::format("event of cycle {} is late", cycle));
            last = cycle;
            if (const auto* issued = std::get_if<Issued>(&event)) {
                Issue issue{*issued};
                const auto& t = timing(issue);
                issue.occupied_until = issued->cycle + t.initiation.lo * t.passes.lo;
                issues_[static_cast<std::size_t>(issued->warp)].push_back(issue);
            } else if (const auto* done = std::get_if<Completed>(&event)) {
                for (Issue& issue : issues_[static_cast<std::size_t>(done->warp)])
                    if (issue.event.instruction == done->instruction) issue.completed = done->cycle;
            } else if (std::holds_alternative<Drained>(event)) {
                drains_.push_back(cycle);
            }
        }
        for (const auto& warp : issues_) {
            for (std::size_t place = 0; place < warp.size(); ++place) {
                const Issue& issue = warp[place];
                if (issue.event.executed) users_[port_of(issue)].push_back(issue);
                if (issue.event.executed && timing(issue).enters_write_buffer)
                    stores_.push_back(issue.event.cycle);
                if (!is_paired(warp, place))
                    choices_[issue.event.warp % schedulers_].push_back(issue.event.cycle);
            }
        }
        std::sort(stores_.begin(), stores_.end());
        for (auto& [scheduler, cycles] : choices_)
            std::sort(cycles.begin(), cycles.end());
        for (auto& [port, users] : users_)
            // A user that leaves the port at once comes first in its cycle.
            std::sort(users.begin(), users.end(), [](const Issue& a, const Issue& b) {
                return std::pair{a.event.cycle, a.occupied_until} <
                       std::pair{b.event.cycle, b.occupied_until};
            });
    }

    std::int64_t gap_before(const std::vector<Issue>& warp, std::size_t place) const {
        const auto& before = warp[place - 1];
        const bool taken = std::any_of(
            program_.graph.edges.begin(), program_.graph.edges.end(), [&](const auto& edge) {
                return edge.from == before.event.block && edge.to == warp[place].event.block &&
                       edge.kind == assembly::EdgeKind::Taken;
            });
        return taken && before.event.block != warp[place].event.block ? timing(before).gap_taken.lo
                                                                      : timing(before).gap.lo;
    }

    bool is_paired(const std::vector<Issue>& warp, std::size_t place) const {
        return place > 0 && gap_before(warp, place) == 0 &&
               warp[place].event.cycle == warp[place - 1].event.cycle;
    }

    void check_choices() {
        for (const auto& [scheduler, cycles] : choices_)
            for (std::size_t place = 1; place < cycles.size(); ++place)
                if (cycles[place] < cycles[place - 1] + slot_)
                    found_.push_back(fmt::format("scheduler {} chose in cycles {} and {}",
                                                 scheduler, cycles[place - 1], cycles[place]));
    }

    void check_ports() {
        for (const auto& [port, users] : users_)
            for (std::size_t place = 1; place < users.size(); ++place)
                if (users[place].event.cycle < users[place - 1].occupied_until)
                    complain(users[place], "its port is taken");
    }

    bool is_buffer_full(std::int64_t cycle) const {
        const auto entered = std::upper_bound(stores_.begin(), stores_.end(), cycle);
        const auto left = std::upper_bound(drains_.begin(), drains_.end(), cycle);
        return (entered - stores_.begin()) - (left - drains_.begin()) >=
               machine_.write_buffer.find("entries")->interval->lo;
    }

    void check_buffer() {
        const auto entries = machine_.write_buffer.find("entries")->interval->lo;
        if (stores_.size() != drains_.size()) found_.emplace_back("a store did not drain");
        for (const std::int64_t cycle : stores_) {
            const auto entered = std::upper_bound(stores_.begin(), stores_.end(), cycle);
            const auto left = std::upper_bound(drains_.begin(), drains_.end(), cycle);
            if ((entered - stores_.begin()) - (left - drains_.begin()) > entries)
                found_.push_back(fmt::format("the write buffer is over-full in cycle {}", cycle));
        }
    }

    /// The first cycle that the warp's own conditions allow.
    std::int64_t own_earliest(const std::vector<Issue>& warp, std::size_t place) {
        const Issue& issue = warp[place];
        if (place == 0) return 0;
        std::int64_t earliest = warp[place - 1].event.cycle + gap_before(warp, place);
        const auto effects = assembly::effects_of(instruction(issue), program_.function.target);
        const auto touches = [&](const assembly::Register& reg) {
            return std::count(effects.reads.begin(), effects.reads.end(), reg) +
                       std::count(effects.writes.begin(), effects.writes.end(), reg) >
                   0;
        };
        for (std::size_t before = 0; before < place; ++before) {
            const Issue& producer = warp[before];
            if (!producer.event.executed) continue;
            const auto writes =
                assembly::effects_of(instruction(producer), program_.function.target).writes;
            if (machine_.issue_control == models::IssueControl::Interlocked &&
                std::any_of(writes.begin(), writes.end(), touches))
                earliest = std::max(earliest, producer.completed);
            if (!instruction(issue).control || !instruction(producer).control) continue;
            const auto waits = [&](std::optional<int> scoreboard) {
                return scoreboard &&
                       ((instruction(issue).control->wait_mask >> *scoreboard) & 1) != 0;
            };
            const auto& t = timing(producer);
            if (waits(instruction(producer).control->write_barrier))
                earliest = std::max(earliest, producer.completed);
            if (waits(instruction(producer).control->read_barrier))
                earliest = std::max(earliest, producer.event.cycle + t.source_read.lo +
                                                  (t.passes.lo - 1) * t.pass_cost.lo);
        }
        return earliest;
    }

    /// Last arrival of the block at the barrier instruction before `place`; the tests' barriers are
    /// never switched off.
    std::int64_t last_arrival(const std::vector<Issue>& warp, std::size_t place) const {
        const int block = warp[place].event.warp / warps_per_block_;
        std::int64_t last = 0;
        for (const auto& other : issues_)
            for (const Issue& issue : other)
                if (issue.event.warp / warps_per_block_ == block &&
                    issue.event.instruction == warp[place - 1].event.instruction)
                    last = std::max(last, issue.event.cycle);
        return last;
    }

    void check_issue(const std::vector<Issue>& warp, std::size_t place) {
        const Issue& issue = warp[place];
        const auto& t = timing(issue);
        if (issue.event.executed) {
            const std::int64_t extra = (t.passes.lo - 1) * t.pass_cost.lo;
            const std::int64_t taken = issue.completed - issue.event.cycle - extra;
            if (taken < t.latency.lo || taken > t.latency.hi)
                complain(issue, fmt::format("latency {} of {} with {} passes", taken,
                                            instruction(issue).mnemonic, t.passes.lo));
        }
        if (place > 0 && issue.event.block == warp[place - 1].event.block &&
            issue.event.instruction != warp[place - 1].event.instruction + 1)
            complain(issue, "out of order");
        std::int64_t earliest = own_earliest(warp, place);
        if (issue.event.cycle < earliest) complain(issue, "before its own conditions");
        if (place > 0 && warp[place - 1].event.executed &&
            timing(warp[place - 1]).is_barrier_wait) {
            const std::int64_t last = last_arrival(warp, place);
            const auto& wait = timing(warp[place - 1]).latency;
            if (issue.event.cycle < last + wait.lo) complain(issue, "before the barrier opened");
            earliest = std::max(earliest, last + wait.hi);
        }
        if (!work_conserving_) return;
        for (std::int64_t cycle = earliest; cycle < issue.event.cycle; ++cycle)
            if (!has_excuse(issue, cycle)) complain(issue, fmt::format("idle in {}", cycle));
    }

    bool has_excuse(const Issue& issue, std::int64_t cycle) {
        const auto& chosen = choices_[issue.event.warp % schedulers_];
        const auto choice = std::upper_bound(chosen.begin(), chosen.end(), cycle);
        if (choice != chosen.begin() && *(choice - 1) + slot_ > cycle) return true;
        if (!issue.event.executed) return false;
        if (timing(issue).enters_write_buffer && is_buffer_full(cycle)) return true;
        const auto& users = users_[port_of(issue)];
        return std::any_of(users.begin(), users.end(), [&](const Issue& user) {
            return user.event.cycle <= cycle && cycle < user.occupied_until;
        });
    }

    const TestProgram& program_;
    const models::Architecture& machine_;
    std::vector<Result<models::InstructionTiming>> timings_;
    int warps_per_block_;
    int schedulers_;
    std::int64_t slot_;
    bool work_conserving_;
    std::vector<std::vector<Issue>> issues_; ///< Per warp.
    std::map<std::tuple<std::size_t, int>, std::vector<Issue>> users_;
    std::map<int, std::vector<std::int64_t>> choices_;
    std::vector<std::int64_t> stores_;
    std::vector<std::int64_t> drains_;
    std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> violations(const TestProgram& program, const models::Architecture& machine,
                                    models::Launch launch, const std::vector<Event>& events,
                                    bool work_conserving) {
    return Checker{program, machine, launch, events, work_conserving}.run();
}

} // namespace warpbound::harness::simulator::test
