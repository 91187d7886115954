#include "analyzer/application/precedence_path.hpp"

#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

using models::application::Action;
using models::application::all_streams;
using models::application::Operation;
using models::application::OperationKind;
using models::application::Plan;

/// Advances every rank as far as known ends allow, until all have finished or none can.
class PrecedencePath {
public:
    PrecedencePath(const Plan& plan, const PathWeights& weights)
        : plan_{plan}, weights_{weights}, ranks_(plan.ranks.size()),
          barriers_(plan.barriers.size()) {
        for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
            ranks_[rank].stream_ends.resize(plan.ranks[rank].streams);
            ready_.push_back(rank);
        }
    }

    Result<std::int64_t> longest() {
        while (!ready_.empty()) {
            const std::size_t rank = ready_.front();
            ready_.pop_front();
            advance(rank);
        }
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            if (const auto& actions = plan_.ranks[rank].actions; ranks_[rank].next < actions.size())
                return Failure{fmt::format("rank '{}' waits for ever", plan_.ranks[rank].name),
                               {},
                               actions[ranks_[rank].next].line};
        return longest_;
    }

private:
    struct RankState {
        std::size_t next = 0;
        std::int64_t at = 0; ///< End of the longest path to its next action.
        std::vector<std::int64_t> stream_ends;
    };
    struct BarrierState {
        std::vector<std::size_t> arrived;
        std::int64_t last = 0;
    };

    void advance(std::size_t rank) {
        const auto& actions = plan_.ranks[rank].actions;
        RankState& state = ranks_[rank];
        while (state.next < actions.size() && pass(rank, actions[state.next]))
            ++state.next;
        longest_ = std::max(longest_, state.at);
    }

    bool pass(std::size_t rank, const Action& action) {
        RankState& state = ranks_[rank];
        switch (action.kind) {
        case Action::Kind::Operate:
            operate(plan_.operations[action.index]);
            return true;
        case Action::Kind::Wait:
            for (std::size_t i = 0; i < state.stream_ends.size(); ++i)
                if (action.index == all_streams || action.index == i)
                    state.at = std::max(state.at, state.stream_ends[i]);
            return true;
        case Action::Kind::Receive: {
            auto& ends = messages_[{action.index, rank}];
            if (ends.empty()) return false;
            state.at = std::max(state.at, ends.front());
            ends.pop_front();
            return true;
        }
        case Action::Kind::Barrier:
            break;
        }
        return arrive(rank, action);
    }

    void operate(const Operation& operation) {
        RankState& state = ranks_[operation.rank];
        std::int64_t& stream = state.stream_ends[operation.stream];
        stream = models::plus(std::max(state.at, stream), weights_.operation(operation));
        longest_ = std::max(longest_, stream);
        if (operation.waits) state.at = stream;
        if (operation.kind != OperationKind::Message) return;
        messages_[{operation.rank, operation.receiver}].push_back(stream);
        if (operation.receiver != operation.rank) ready_.push_back(operation.receiver);
    }

    /// The last rank lets all others go on; it goes on itself.
    bool arrive(std::size_t rank, const Action& action) {
        BarrierState& barrier = barriers_[action.index];
        if (std::ranges::find(barrier.arrived, rank) == barrier.arrived.end())
            barrier.arrived.push_back(rank);
        barrier.last = std::max(barrier.last, ranks_[rank].at);
        if (barrier.arrived.size() < plan_.barriers[action.index]) return false;
        const std::int64_t open =
            models::plus(barrier.last, action.time ? weights_.barrier(*action.time) : 0);
        const auto members = std::exchange(barrier, {}).arrived;
        for (const std::size_t member : members) {
            ranks_[member].at = open;
            if (member == rank) continue;
            ++ranks_[member].next;
            ready_.push_back(member);
        }
        return true;
    }

    const Plan& plan_;
    const PathWeights& weights_;
    std::vector<RankState> ranks_;
    std::vector<BarrierState> barriers_;
    std::map<std::pair<std::size_t, std::size_t>, std::deque<std::int64_t>> messages_;
    std::deque<std::size_t> ready_;
    std::int64_t longest_ = 0;
};

} // namespace

Result<std::int64_t> longest_path(const Plan& plan, const PathWeights& weights) {
    return PrecedencePath{plan, weights}.longest();
}

} // namespace warpbound::analyzer
