#include "certification/verify/interference/fetch_delay.hpp"

#include "certification/verify/interference/critical_path.hpp"
#include "certification/verify/interference/line_order.hpp"
#include "certification/verify/interference/lines_by_index.hpp"
#include "certification/verify/interference/sole_warp_misses.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;

/// The group `fetch` of the description.
class FetchGroup {
public:
    explicit FetchGroup(const TimedCode& code) : kernel_{code.kernel} {}
    [[nodiscard]] std::int64_t number(const char* name, std::int64_t least) const {
        return exact_number(kernel_, kernel_.architecture.fetch, "fetch", name, least);
    }
    [[nodiscard]] models::Interval range(const char* name) const {
        return known_value(kernel_, kernel_.architecture.fetch, "fetch", name);
    }
    /// C70: whether the description states what the caches hold at the start.
    [[nodiscard]] bool begins_warm() const {
        if (kernel_.architecture.fetch.find("warm") == nullptr) return false;
        const std::int64_t stated = number("warm", 0);
        if (stated > 1) refuted(kernel_.id + ": fetch/warm is neither 0 nor 1");
        return stated == 1;
    }
    /// S36 needs a way for each line; what a cache may lack counts as lacking.
    [[nodiscard]] bool always_holds(const char* sets, const char* ways, std::int64_t lines) const {
        const models::Interval count = range(ways);
        if (count.lo < 1 || count.hi > largest_exact_number)
            refuted(fmt::format("{}: fetch/{} is out of range", kernel_.id, ways));
        return lines <= times(number(sets, 1), count.lo);
    }
    /// C68: the lines behind the one that missed.
    [[nodiscard]] models::Interval stream() const {
        const models::Interval count = range("stream");
        if (count.lo < 0 || count.hi > largest_exact_number)
            refuted(kernel_.id + ": fetch/stream is out of range");
        return count;
    }
    [[nodiscard]] std::int64_t streamed() const { return stream().hi; }

private:
    const KernelCase& kernel_;
};

/// S35: a wait at a look-up is for the requests of all other warps, and for its own. Side: upper.
std::int64_t wait_at_look_up(const TimedCode& code, const FetchGroup& fetch, std::int64_t l1_miss) {
    const std::int64_t others = code.geometry.resident_warps() - 1;
    const std::int64_t service = fetch.range("l1-service").hi;
    const std::int64_t streamed = fetch.streamed();
    const std::int64_t served = times(service, streamed + 1);
    const models::Interval transfer = fetch.range("l0-miss");
    const bool may_be_behind = transfer.lo < served; // Requests of the warp's own last miss.
    if (others == 0) return plus(plus(may_be_behind ? served : 0, transfer.hi), l1_miss);
    if (may_be_behind)
        refuted(code.kernel.id + ": requests of an earlier miss may still "
                                 "be served, about which S35 claims "
                                 "nothing");
    return plus(plus(times(served, others), transfer.hi), l1_miss);
}

std::int64_t lines_spanned(const TimedCode& code, const FetchGroup& fetch) {
    const auto& text = code.kernel.function->instructions;
    const std::int64_t bytes = fetch.number("line", 1);
    return text.empty() ? 0 : text.back().address / bytes - text.front().address / bytes + 1;
}

Waiters waiters_of(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    if (launch.waves == 1 && launch.per_scheduler(launch.resident_warps()) == 1)
        return Waiters::Sole;
    const bool conserves =
        models::guarantee_of(code.kernel.policy) == models::PolicyGuarantee::WorkConserving;
    return conserves ? Waiters::Turn : Waiters::All;
}

/// Counts of `l0-miss` and of `l1-miss`.
struct Waits {
    std::int64_t of_l0 = 0;
    std::int64_t of_l1 = 0;
};

/// What some path executes of the text.
struct LinesOfPaths {
    std::int64_t count = 0;
    MissesInTurn misses;
    std::int64_t transfers = 0; ///< To the L1 of an SM.
};

/// S36, lemmas 4 to 6, on so many schedulers and SMs: the smallest of the sums, of equal ones the
/// first.
Waits smallest_waits(const FetchGroup& fetch, const LinesOfPaths& lines, std::int64_t schedulers,
                     std::optional<std::int64_t> multiprocessors) {
    const auto sum = [&](const Waits& waits) {
        return plus(times(waits.of_l0, fetch.range("l0-miss").hi),
                    times(waits.of_l1, fetch.range("l1-miss").hi));
    };
    const std::int64_t grouped = times(schedulers, lines.misses.groups);
    Waits best{grouped, grouped};
    if (!multiprocessors) return best;
    for (const Waits& other :
         {Waits{times(schedulers, lines.count), times(schedulers, lines.misses.of_l1)},
          Waits{grouped, times(*multiprocessors, lines.transfers)}})
        if (sum(other) < sum(best)) best = other;
    return best;
}

/// S84: whether each scheduler with warps has one of every thread block.
bool ended_blocks_fill_l0s(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    return models::guarantee_of(code.kernel.policy) == models::PolicyGuarantee::WorkConserving &&
           launch.warps_per_block >= std::min(launch.schedulers, launch.resident_warps());
}

std::int64_t lines_to_be_left_out(const TimedCode& code, std::int64_t bytes) {
    if (code.left_out_by_index) return *code.left_out_by_index;
    return static_cast<std::int64_t>(line_numbers_left_out(code, bytes).size());
}

/// Lines that a thread block which has ended need not have looked up.
struct LeftOut {
    std::int64_t lines = 0;
    bool stay_in_l1 = false;
};

/// Where a path of several thread blocks of one SM waits for lines.
class WaitsOnOne {
public:
    WaitsOnOne(const FetchGroup& fetch, const LinesOfPaths& lines, const LeftOut& left_out)
        : fetch_{fetch}, lines_{lines}, left_out_{left_out} {}

    /// S96: on so many schedulers, on `at_first` of them before some block of the SM has ended.
    /// Those that it is on only afterwards wait for lines that may be left out.
    [[nodiscard]] Waits of(std::int64_t schedulers, std::int64_t at_first) const {
        const std::int64_t later = schedulers > at_first ? schedulers - at_first : 0;
        const std::int64_t early = schedulers - later;
        const auto both = [&](std::int64_t of_scheduler) {
            const std::int64_t of_left_out = std::min(of_scheduler, left_out_.lines);
            return plus(times(early, of_scheduler), times(later, of_left_out));
        };
        const std::int64_t grouped = both(lines_.misses.groups);
        Waits best{grouped, grouped};
        if (!left_out_.stay_in_l1) return best;
        best = smaller(best, {both(lines_.count), both(lines_.misses.of_l1)});
        return smaller(best, {grouped, lines_.transfers});
    }
    /// S84: from the start of the last block on, where another block has ended before; of equal
    /// ones that of S36.
    [[nodiscard]] Waits of_last(std::int64_t schedulers) const {
        // Groups and transfers of these lines alone are no more than of all.
        const std::int64_t groups =
            times(schedulers, std::min(left_out_.lines, lines_.misses.groups));
        const std::int64_t transfers = std::min(left_out_.lines, lines_.transfers);
        return smaller(of(schedulers, schedulers),
                       {groups, left_out_.stay_in_l1 ? transfers : groups});
    }

private:
    /// Of equal ones the first.
    [[nodiscard]] Waits smaller(const Waits& one, const Waits& other) const {
        const auto sum = [&](const Waits& waits) {
            return plus(times(waits.of_l0, fetch_.range("l0-miss").hi),
                        times(waits.of_l1, fetch_.range("l1-miss").hi));
        };
        return sum(other) < sum(one) ? other : one;
    }

    const FetchGroup& fetch_;
    const LinesOfPaths& lines_;
    LeftOut left_out_;
};

/// The terms of `fetch_terms_of`, or of a path that visits all schedulers with warps.
std::vector<Term> terms_of_path(const TimedCode& code, bool any_blocks, std::int64_t to_next_slot);

} // namespace

bool lines_stay_in_l0(const TimedCode& code) {
    const FetchGroup fetch{code};
    return fetch.always_holds("l0-sets", "l0-ways", lines_spanned(code, fetch));
}

std::vector<bool> ends_of_lines(const TimedCode& code) {
    const auto& text = code.kernel.function->instructions;
    std::vector<bool> ends(text.size(), false);
    if (!code.kernel.architecture.has_instruction_caches()) return ends;
    const std::int64_t bytes = FetchGroup{code}.number("line", 1);
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
        ends[i] = text[i].address / bytes != text[i + 1].address / bytes;
    return ends;
}

std::int64_t lines_requested_of_text(const TimedCode& code, std::int64_t bytes) {
    if (!code.kernel.architecture.has_instruction_caches()) return 0;
    const FetchGroup fetch{code};
    const std::int64_t lines = plus(lines_spanned(code, fetch), fetch.streamed());
    if (!fetch.always_holds("l1-sets", "l1-ways", lines))
        refuted(code.kernel.id + ": the L1 instruction cache need not keep the text");
    const std::int64_t longer = fetch.number("line", 1);
    return times(lines, (longer + bytes - 1) / bytes);
}

std::vector<std::int64_t> numbers_of_lines_left_out(const TimedCode& code) {
    if (!code.kernel.architecture.has_instruction_caches() || !lines_stay_in_l0(code) ||
        !ended_blocks_fill_l0s(code))
        return {};
    const std::int64_t bytes = FetchGroup{code}.number("line", 1);
    const auto all = static_cast<std::int64_t>(line_numbers_left_out(code, bytes).size());
    std::vector<std::int64_t> numbers;
    for (std::int64_t number = lines_left_out_by_index(code, bytes); number < all; ++number)
        numbers.push_back(number);
    return numbers;
}

std::int64_t wait_for_line(const TimedCode& code) {
    if (!code.kernel.architecture.has_instruction_caches() || lines_stay_in_l0(code)) return 0;
    const FetchGroup fetch{code};
    const std::int64_t lines = plus(lines_spanned(code, fetch), fetch.streamed());
    const bool l1_persists = fetch.always_holds("l1-sets", "l1-ways", lines);
    return wait_at_look_up(code, fetch, l1_persists ? 0 : fetch.range("l1-miss").hi);
}

std::vector<Term> fetch_terms_of(const TimedCode& code, std::int64_t to_next_slot) {
    if (!code.kernel.architecture.has_instruction_caches()) return {};
    return terms_of_path(code, false, to_next_slot);
}

std::optional<std::int64_t> fetch_beyond_path(const TimedCode& code) {
    if (!code.kernel.architecture.has_instruction_caches()) return 0;
    if (!lines_stay_in_l0(code)) return std::nullopt;
    const auto cycles = [&](bool any_blocks) {
        models::Cycles sum{0};
        for (const Term& term : terms_of_path(code, any_blocks, 0))
            sum += models::Cycles{times(term.count, term.cycles)};
        return sum;
    };
    return (cycles(true) - cycles(false)).count();
}

namespace {

std::vector<Term> terms_of_path(const TimedCode& code, bool any_blocks, std::int64_t to_next_slot) {
    const FetchGroup fetch{code};
    const std::int64_t visited =
        any_blocks ? schedulers_with_warps(code) : schedulers_of_path(code);
    const std::int64_t lines = lines_spanned(code, fetch);
    const std::int64_t streamed = fetch.streamed();
    const bool l0_persists = lines_stay_in_l0(code);
    const bool l1_persists = fetch.always_holds("l1-sets", "l1-ways", plus(lines, streamed));
    const bool begins_warm = fetch.begins_warm();
    if (begins_warm && l0_persists) return {};
    const std::int64_t l1_miss = fetch.range("l1-miss").hi;
    const std::int64_t l0_miss = fetch.range("l0-miss").hi;
    // S14 and S20: the part of the critical path behind the start of the last block.
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t multiprocessors = launch.waves > 1 && launch.multiprocessors > 1 ? 2 : 1;
    const std::int64_t bytes = fetch.number("line", 1);
    const auto executed = static_cast<std::int64_t>(lines_on_paths(code, bytes).size());
    if (!l0_persists) {
        const std::int64_t once =
            l1_persists && !begins_warm ? times(multiprocessors, executed) : 0;
        const std::int64_t wait = wait_at_look_up(code, fetch, l1_persists ? 0 : l1_miss);
        return {{launch.waves, wait, ""}, {once, l1_miss, ""}, {once, to_next_slot, ""}};
    }
    const std::int64_t schedulers = schedulers_with_warps(code);
    const Waiters waiters = waiters_of(code);
    const LineOrder order = line_order(code, bytes);
    MissesInTurn misses = misses_in_turn(order, fetch.stream(), waiters);
    if (waiters == Waiters::Sole) {
        if (const auto most = sole_warp_misses(code, bytes, fetch.stream())) {
            misses.groups = std::min(misses.groups, *most);
            misses.requests = std::min(misses.requests, times(*most, plus(streamed, 1)));
        }
    }
    const LinesOfPaths of_paths{
        executed, misses, transfers_to_l1(order, fetch.stream(), schedulers / multiprocessors)};
    const std::int64_t left_out = lines_to_be_left_out(code, bytes);
    const bool has_full_l0s = ended_blocks_fill_l0s(code);
    const auto counted = [&] {
        if (!has_full_l0s)
            return smallest_waits(fetch, of_paths, visited,
                                  l1_persists ? std::optional{multiprocessors} : std::nullopt);
        const WaitsOnOne on_one{fetch, of_paths, {left_out, l1_persists}};
        const SchedulersOfTwo paths = schedulers_of_two(code, any_blocks);
        if (multiprocessors == 1) return on_one.of(visited, paths.in_one_block);
        const Waits first = on_one.of(paths.up_to_last, paths.in_one_block);
        const Waits second = on_one.of_last(paths.from_last);
        return Waits{plus(first.of_l0, second.of_l0), plus(first.of_l1, second.of_l1)};
    };
    const Waits waits = counted();
    // Requests that delay no wait of the path do not count.
    const std::int64_t requesting =
        has_full_l0s && left_out == 0 ? schedulers / multiprocessors : schedulers;
    // S50: of the waits that no gap contains, each may end in a time slot of another warp.
    return {{waits.of_l0, l0_miss, ""},
            {waits.of_l1, l1_miss, ""},
            {times(visited, executed), to_next_slot, ""},
            {times(requesting, misses.requests), fetch.range("l1-service").hi, ""}};
}

} // namespace

} // namespace warpbound::certification::verify
