#include "certification/verify/interference/sole_warp_misses.hpp"

#include "certification/verify/flow/control_flow.hpp"
#include "certification/verify/interference/line_order.hpp"

#include <algorithm>
#include <bitset>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace warpbound::certification::verify {

namespace {

/// What lemma 5 claims nothing beyond.
constexpr std::size_t text_limit = 64;
constexpr std::size_t state_limit = 8'000; // For all numbers of streamed lines.

using LineSet = std::bitset<text_limit>;

/// The lines of each block in their order, numbered from the first one of the text.
using Text = std::vector<std::vector<std::size_t>>;

std::optional<Text> numbered_lines(const TimedCode& code, std::int64_t bytes) {
    const ControlFlow& flow = code.upper_flow;
    const auto& instructions = code.kernel.function->instructions;
    const std::int64_t start = instructions.front().address / bytes;
    Text text(flow.blocks.size());
    for (std::size_t block = 0; block < text.size(); ++block)
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i) {
            const auto line = static_cast<std::size_t>(instructions[i].address / bytes - start);
            if (line >= text_limit) return std::nullopt;
            if (text[block].empty() || text[block].back() != line) text[block].push_back(line);
        }
    return text;
}

/// Lines that some path executes behind the end of each block.
std::vector<LineSet> lines_ahead(const ControlFlow& flow, const Text& text) {
    std::vector<LineSet> ahead(text.size());
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t block = 0; block < text.size(); ++block) {
            LineSet all = ahead[block];
            for (const std::size_t successor : flow.blocks[block].successors) {
                all |= ahead[successor];
                for (const std::size_t line : text[successor])
                    all.set(line);
            }
            if (all == ahead[block]) continue;
            ahead[block] = all;
            changes = true;
        }
    }
    return ahead;
}

/// The warp is in the block, at the place of a line in it that it has just used for the first time.
struct State {
    std::size_t block = 0;
    std::size_t place = 0;
    LineSet used;
    LineSet buffered;

    friend bool operator<(const State& a, const State& b) {
        return std::tuple{a.block, a.place, a.used.to_ullong(), a.buffered.to_ullong()} <
               std::tuple{b.block, b.place, b.used.to_ullong(), b.buffered.to_ullong()};
    }
};

/// Carries the most misses so far from state to state, again where they become more.
class Walk {
public:
    Walk(const ControlFlow& flow, const Text& text, std::size_t streamed)
        : flow_{flow}, text_{text}, ahead_{lines_ahead(flow, text)}, streamed_{streamed} {}

    [[nodiscard]] std::size_t states() const { return misses_.size(); }

    /// Empty where there are more states than that.
    std::optional<std::int64_t> most(std::size_t limit) {
        come_to(0, 0, {}, {}, 0);
        std::int64_t most = 0;
        while (!open_.empty()) {
            if (misses_.size() > limit) return std::nullopt;
            const State state = open_.front();
            open_.pop_front();
            const std::int64_t so_far = misses_.at(state);
            most = std::max(most, so_far);
            go_on(state, so_far);
        }
        return most;
    }

private:
    /// All lines that may be the next one to be used for the first time.
    void go_on(const State& state, std::int64_t so_far) {
        LineSet used = state.used;
        used.set(text_[state.block][state.place]);
        std::vector<bool> entered(text_.size(), false);
        std::vector<std::pair<std::size_t, std::size_t>> places{{state.block, state.place}};
        while (!places.empty()) {
            auto [block, place] = places.back();
            places.pop_back();
            const auto& lines = text_[block];
            while (place < lines.size() && used[lines[place]])
                ++place;
            if (place < lines.size()) {
                come_to(block, place, used, state.buffered, so_far);
                continue;
            }
            for (const std::size_t successor : flow_.blocks[block].successors) {
                if (!entered[successor]) places.emplace_back(successor, 0);
                entered[successor] = true;
            }
        }
    }

    /// A first use: of a line that was there from the start or is streamed, or of one that misses.
    void come_to(std::size_t block, std::size_t place, LineSet used, const LineSet& buffered,
                 std::int64_t so_far) {
        const std::size_t line = text_[block][place];
        used.set(line);
        reach(block, place, used, buffered, so_far);
        if (buffered[line]) return;
        LineSet requested;
        for (std::size_t i = line; i < text_limit && i <= line + streamed_; ++i)
            requested.set(i);
        reach(block, place, used, requested, so_far + 1);
    }

    void reach(std::size_t block, std::size_t place, const LineSet& used, const LineSet& buffered,
               std::int64_t misses) {
        LineSet still = ahead_[block];
        for (std::size_t i = place + 1; i < text_[block].size(); ++i)
            still.set(text_[block][i]);
        const State state{block, place, used & still, buffered & still & ~used};
        const auto [known, is_new] = misses_.try_emplace(state, misses);
        if (!is_new && known->second >= misses) return;
        known->second = misses;
        open_.push_back(state);
    }

    const ControlFlow& flow_;
    const Text& text_;
    std::vector<LineSet> ahead_;
    std::size_t streamed_;
    std::map<State, std::int64_t> misses_;
    std::deque<State> open_;
};

} // namespace

std::optional<std::int64_t> sole_warp_misses(const TimedCode& code, std::int64_t bytes,
                                             const models::Interval& stream) {
    const auto text = numbered_lines(code, bytes);
    if (!text) return std::nullopt;
    const ControlFlow flow = taken_by_warps(code);
    // More lines than all of the text change nothing.
    constexpr auto whole = static_cast<std::int64_t>(text_limit);
    std::int64_t most = 0;
    std::size_t left = state_limit;
    for (std::int64_t streamed = std::min(stream.lo, whole); streamed <= std::min(stream.hi, whole);
         ++streamed) {
        Walk walk{flow, *text, static_cast<std::size_t>(streamed)};
        const auto found = walk.most(left);
        if (!found) return std::nullopt;
        left -= walk.states();
        most = std::max(most, *found);
    }
    return most;
}

} // namespace warpbound::certification::verify
