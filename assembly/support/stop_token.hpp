#pragma once
/// \file
/// Ends long work early: at a deadline, or because the user asked for it.
///
/// Whoever starts the work opens a `StopScope`; fixed points and searches below it call
/// `check_stop`, which throws `Stopped` there. It is caught where a weaker answer is known
/// (`unless_stopped`), and else by the program, which then has no answer.

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// The point in time `seconds` from now; none for a limit of years.
Deadline deadline_after(std::chrono::duration<double> seconds);

/// When work has to end: at a deadline, once a flag is raised, both, or never. Cheap to copy.
class StopToken {
public:
    using Flag = bool (*)();

    StopToken() = default;
    explicit StopToken(Deadline deadline, Flag interrupted = nullptr)
        : deadline_{deadline}, interrupted_{interrupted} {}

    [[nodiscard]] const Deadline& deadline() const { return deadline_; }
    [[nodiscard]] bool was_interrupted() const { return interrupted_ != nullptr && interrupted_(); }
    [[nodiscard]] bool stop_requested() const;
    /// The same, but at the latest then.
    [[nodiscard]] StopToken until(const Deadline& deadline) const;
    /// The same, but at the latest after this part of the time that is left.
    [[nodiscard]] StopToken with_share(double share) const;

private:
    Deadline deadline_;
    Flag interrupted_ = nullptr;
};

/// Thrown by `check_stop`: the work ended before it had an answer.
class Stopped : public std::runtime_error {
public:
    Stopped(const StopToken& token, const char* step);
    [[nodiscard]] const char* step() const { return step_; }

private:
    const char* step_;
};

/// While it lives, `check_stop` in this thread looks at `token`. An inner scope replaces an outer
/// one, and passes on to it what it dropped.
class StopScope {
public:
    explicit StopScope(StopToken token);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

    [[nodiscard]] const StopToken& token() const { return token_; }
    /// Steps that ended early, whose answer a weaker one replaces; each once.
    [[nodiscard]] const std::vector<std::string>& dropped() const { return dropped_; }
    void drop(const std::string& step);

private:
    friend void check_stop(const char* step);

    StopToken token_;
    StopScope* outer_;
    std::vector<std::string> dropped_;
    unsigned checks_ = 0;
};

/// The token of the innermost scope of this thread; one that never stops outside all scopes.
StopToken current_stop();
/// Whether work in this thread has to end now.
bool stop_requested();
/// Throws `Stopped` where work has to end; `step` names it for the user ("the value analysis").
/// Looks at the clock every 256th time, so a call costs a nanosecond. Call it about once per
/// microsecond of work or more often.
void check_stop(const char* step);
/// Notes that a step ended early, for the scopes around.
void note_dropped(const std::string& step);

/// The part of the time left that a step may take whose answer can be weaker.
inline constexpr double share_of_refinement = 0.3;

/// The result of `work`; none where it was stopped, which the scope notes. For steps without which
/// an answer is weaker but holds. `share`: of the time that is left.
template <typename Work>
auto unless_stopped(const Work& work, double share = share_of_refinement)
    -> std::optional<decltype(work())> {
    const StopScope scope{current_stop().with_share(share)};
    try {
        return work();
    } catch (const Stopped& stopped) {
        note_dropped(stopped.step());
        return std::nullopt;
    }
}

} // namespace warpbound
