#include "assembly/support/stop_token.hpp"

#include <algorithm>

namespace warpbound {

namespace {

using Clock = std::chrono::steady_clock;

/// The innermost scope of this thread.
StopScope*& innermost() {
    thread_local StopScope* scope = nullptr;
    return scope;
}

std::string text_of(const StopToken& token, const char* step) {
    return std::string{token.was_interrupted() ? "an interrupt" : "the time limit"} +
           " stopped the command in this step: " + step + "; there is no result yet" +
           (token.was_interrupted() ? "" : "; expected a larger --time-limit");
}

} // namespace

Deadline deadline_after(std::chrono::duration<double> seconds) {
    // A longer limit cannot be represented and counts as none.
    constexpr std::chrono::duration<double> longest{1e8};
    if (seconds >= longest) return std::nullopt;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

bool StopToken::stop_requested() const {
    return was_interrupted() || (deadline_ && Clock::now() >= *deadline_);
}

StopToken StopToken::until(const Deadline& deadline) const {
    if (!deadline || (deadline_ && *deadline_ <= *deadline)) return *this;
    return StopToken{deadline, interrupted_};
}

StopToken StopToken::with_share(double share) const {
    if (!deadline_) return *this;
    const auto now = Clock::now();
    const std::chrono::duration<double> left = std::max(Clock::duration{0}, *deadline_ - now);
    return StopToken{now + std::chrono::duration_cast<Clock::duration>(left * share), interrupted_};
}

Stopped::Stopped(const StopToken& token, const char* step)
    : std::runtime_error{text_of(token, step)}, step_{step} {}

StopScope::StopScope(StopToken token) : token_{token}, outer_{std::exchange(innermost(), this)} {}

StopScope::~StopScope() {
    innermost() = outer_;
}

void StopScope::drop(const std::string& step) {
    if (std::find(dropped_.begin(), dropped_.end(), step) == dropped_.end())
        dropped_.push_back(step);
    if (outer_ != nullptr) outer_->drop(step);
}

StopToken current_stop() {
    return innermost() == nullptr ? StopToken{} : innermost()->token();
}

bool stop_requested() {
    return innermost() != nullptr && innermost()->token().stop_requested();
}

void check_stop(const char* step) {
    constexpr unsigned checks_between_looks = 256;
    StopScope* const scope = innermost();
    if (scope == nullptr || ++scope->checks_ % checks_between_looks != 0) return;
    if (scope->token_.stop_requested()) throw Stopped{scope->token_, step};
}

void note_dropped(const std::string& step) {
    if (innermost() != nullptr) innermost()->drop(step);
}

} // namespace warpbound
