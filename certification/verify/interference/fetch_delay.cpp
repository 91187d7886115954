#include "certification/verify/interference/fetch_delay.hpp"

#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <algorithm>

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
    [[nodiscard]] models::Interval cycles(const char* name) const {
        return known_value(kernel_, kernel_.architecture.fetch, "fetch", name);
    }

private:
    const KernelCase& kernel_;
};

/// Whether the critical path may leave the warp in which it ends.
bool may_change_warp(const TimedCode& code) {
    return code.geometry.waves > 1 || most_barriers_of_a_path(code) > 0;
}

/// S35: a wait at a look-up is for the requests of all other warps, and for its own. Side: upper.
std::int64_t wait_at_look_up(const TimedCode& code, const FetchGroup& fetch, std::int64_t l1_miss) {
    const std::int64_t others = code.geometry.resident_warps() - 1;
    const std::int64_t service = fetch.cycles("l1-service").hi;
    const std::int64_t streamed = fetch.number("stream", 0);
    const std::int64_t served = times(service, streamed + 1);
    const models::Interval transfer = fetch.cycles("l0-miss");
    const bool may_be_behind = transfer.lo < served; // Requests of the warp's own last miss.
    if (others == 0)
        return plus(plus(may_be_behind ? times(service, streamed) : 0, transfer.hi), l1_miss);
    if (may_be_behind)
        throw Finding{Verdict::Failed, code.kernel.id + ": requests of an earlier miss may still "
                                                        "be served, about which S35 claims "
                                                        "nothing"};
    return plus(plus(times(served, others), transfer.hi), l1_miss);
}

} // namespace

std::vector<Term> fetch_terms_of(const TimedCode& code) {
    if (!code.kernel.architecture.has_instruction_caches()) return {};
    const FetchGroup fetch{code};
    const auto& text = code.kernel.function->instructions;
    const std::int64_t bytes = fetch.number("line", 1);
    const std::int64_t lines =
        text.empty() ? 0 : text.back().address / bytes - text.front().address / bytes + 1;
    const std::int64_t streamed = fetch.number("stream", 0);
    const auto holds = [&](const char* sets, const char* ways, std::int64_t needed) {
        return needed <= times(fetch.number(sets, 1), fetch.number(ways, 1));
    };
    const bool l0_persists = holds("l0-sets", "l0-ways", lines);
    const bool l1_persists = holds("l1-sets", "l1-ways", plus(lines, streamed));
    const std::int64_t l1_miss = fetch.cycles("l1-miss").hi;
    const std::int64_t of_each_wait = l1_persists ? 0 : l1_miss;
    // S14 and S20: the part of the critical path behind the start of the last block.
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t multiprocessors = launch.waves > 1 && launch.multiprocessors > 1 ? 2 : 1;
    const std::int64_t schedulers =
        times(multiprocessors, std::min(launch.schedulers, launch.resident_warps()));
    std::vector<Term> terms;
    if (l1_persists) terms.push_back({times(multiprocessors, lines), l1_miss, ""});
    if (!l0_persists) {
        terms.push_back({launch.waves, wait_at_look_up(code, fetch, of_each_wait), ""});
        return terms;
    }
    terms.push_back({times(may_change_warp(code) ? schedulers : 1, lines),
                     plus(fetch.cycles("l0-miss").hi, of_each_wait), ""});
    terms.push_back(
        {times(schedulers, times(lines, streamed + 1)), fetch.cycles("l1-service").hi, ""});
    return terms;
}

} // namespace warpbound::certification::verify
