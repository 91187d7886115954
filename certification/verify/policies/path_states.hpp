#pragma once
/// \file
/// The states of a warp on its only path, where both ends of every interval agree (step S30 of
/// docs/theory). Equal states have one number.

#include "certification/verify/policies/issue_rules.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warpbound::certification::verify {

/// What an instruction of the path takes of what warps share. `Unit:` core cycles.
struct SharedUse {
    enum class Port { None, OfScheduler, OfMultiprocessor };
    Port port = Port::None;
    std::size_t unit = 0;
    std::int64_t cycles = 0; ///< Of the port.
    bool stores = false;     ///< It enters the write buffer.
    std::int64_t drain = 0;
};

/// Number of a state: the next instruction, and what is left of what the warp waits for.
using PathState = std::uint32_t;

/// How many results of a state may be remembered.
inline constexpr std::size_t most_remembered = std::size_t{1} << 19U;

struct NumbersHash {
    std::size_t operator()(const std::vector<std::int64_t>& numbers) const;
};

class PathStates {
public:
    static constexpr PathState ended = 0;
    static constexpr PathState first = 1; ///< Before the first issue.

    /// `code` and `path` must live as long.
    PathStates(const TimedCode& code, const std::vector<IssueStep>& path);

    /// Whether each instruction takes its port and the write buffer for one number of cycles.
    [[nodiscard]] bool has_exact_uses() const { return has_exact_uses_; }
    /// Of the next instruction.
    [[nodiscard]] const SharedUse& use(PathState state) const { return uses_[next_of(state)]; }
    /// Until the next instruction may issue, what warps share aside, counted from where the state
    /// is.
    [[nodiscard]] std::int64_t ready(PathState state) const { return (*states_[state])[1]; }
    [[nodiscard]] std::size_t issued(PathState state) const { return next_of(state); }
    /// From the issue of the next instruction to the end of what it begins (C2).
    [[nodiscard]] std::int64_t completion(PathState state) const {
        return completions_[next_of(state)];
    }
    /// Where the next instruction issues so many cycles later, from that issue on. None: what is
    /// left then is no single number, or another instruction may issue in the same cycle.
    [[nodiscard]] std::optional<PathState> issue_after(PathState state, std::int64_t cycles);
    /// The state seen from another cycle, in which the warp can issue after `issue` cycles, and not
    /// before. `when`: the cycles from there to the first one in which a wait that has so many left
    /// allows an issue.
    [[nodiscard]] PathState seen_from(PathState state, std::int64_t issue,
                                      const std::function<std::int64_t(std::int64_t)>& when);

private:
    struct State {
        std::size_t next = 0; ///< Step of the path; its length: the warp has ended.
        std::int64_t ready = 0;
        Outstanding left;
    };
    using Numbers = std::vector<std::int64_t>;

    [[nodiscard]] std::size_t next_of(PathState state) const {
        return static_cast<std::size_t>(states_[state]->front());
    }
    [[nodiscard]] State state_of(PathState state) const;
    PathState number_of(const State& state);
    void note_use(std::size_t step);

    const TimedCode& code_;
    const std::vector<IssueStep>& path_;
    WarpRules least_;
    WarpRules most_;
    bool has_exact_uses_ = true;
    std::vector<SharedUse> uses_; ///< Per step, and none behind the last one.
    std::vector<std::int64_t> completions_;
    std::vector<const Numbers*> states_; ///< Keys of `numbers_`.
    std::unordered_map<Numbers, PathState, NumbersHash> numbers_;
    /// By state and cycles; forgotten when there are many.
    std::unordered_map<Numbers, std::optional<PathState>, NumbersHash> issues_;
};

} // namespace warpbound::certification::verify
