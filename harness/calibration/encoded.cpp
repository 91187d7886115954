/// \file
/// Machines with encoded issue control: the relations of machines with interlocks hold for code
/// whose control fields are stated, if stall counts add up as they state (C97).

#include "harness/calibration/relations.hpp"
#include "harness/suite/benchmarks/cache_benchmarks.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "harness/suite/emission/stated_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace warpbound::harness {

namespace {

/// Whether each transaction of an access takes a pass: 31 more take 31 times as long as one more.
/// Where lines share passes, they do so only by chance, for a pass cost that 31 divides.
bool takes_a_pass_each(const Measurements& measurements, const std::string& benchmark) {
    const auto* one = measurements.find(benchmark + "/passes=1");
    const auto* many = measurements.find(fmt::format("{}/passes={}", benchmark, many_passes));
    const auto single = constant_time(one);
    if (!single || many == nullptr) return false;
    return std::ranges::all_of(all_times(*many), [&](std::int64_t time) {
        return time > *single && (time - *single) % (many_passes - 1) == 0;
    });
}

/// Behind a memory queue (C71) accesses do not wait for their port when they issue: their times
/// show neither its initiation interval nor who shares it, nor the write buffer.
void withdraw_queued(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const auto of_shared = measurements.find("port-load-shared");
    if (of_shared == nullptr) return;
    const auto times = distances(*of_shared, basis);
    if (*std::ranges::max_element(times) > basis.step) return;
    constexpr const char* why = "accesses issue without waiting for their port, as behind a memory "
                                "queue";
    constexpr const char* late = "it varies, and so may the time in a memory queue before it";
    for (const auto& of : calibrated_classes()) {
        if (!of.has_passes && of.name != "load-constant") continue;
        for (const std::string_view value : {std::string_view{"/initiation"}, port_of_class})
            ledger.withdraw(fmt::format("classes/{}{}", of.name, value), why);
        // No result is ready before the access leaves the queue (C74).
        ledger.weaken(fmt::format("classes/{}/latency", of.name), late);
        for (const auto& benchmark : {"result-" + of.name, std::string{"result-l1"},
                                      std::string{"result-l2"}, std::string{"result-dram"}})
            if (!takes_a_pass_each(measurements, benchmark))
                ledger.withdraw(fmt::format("classes/{}/pass-cost", of.name), benchmark, why);
    }
    for (const char* level : {"l1", "l2", "dram"})
        ledger.weaken(fmt::format("memories/{}/latency", level), late);
    for (const char* path : {"write-buffer/entries", "write-buffer/drain"})
        ledger.withdraw(path, why);
}

/// Of times that vary the line is the growth that stands out, which few runs may miss: whether
/// every time from which it was read is one number.
bool shows_the_line(const Measurements& measurements) {
    return std::ranges::all_of(lane_distances, [&](std::int64_t distance) {
        return constant_time(measurements.find(fmt::format("coalescing/distance={}", distance)))
            .has_value();
    });
}

/// Drops what was read from accesses of many lines, unless each line takes a pass.
void withdraw_passes(const Measurements& measurements, Ledger& ledger) {
    constexpr const char* why =
        "a line may share a pass with others, or the times vary too much to "
        "tell that none does";
    const auto shows = [&](const std::string& benchmark) {
        return takes_a_pass_each(measurements, benchmark);
    };
    const bool of_loads = shows("result-l1") || shows("result-l2") || shows("result-dram");
    for (const auto& of : calibrated_classes()) {
        if (!of.has_passes || of.name.ends_with("-shared")) continue;
        if (of.name == "atomic-global" ? shows("result-atomic-global") : of_loads) continue;
        ledger.withdraw(fmt::format("classes/{}/initiation", of.name), "port-" + of.name, why);
        if (ledger.knows(fmt::format("classes/{}/pass-cost", of.name)))
            ledger.withdraw(fmt::format("classes/{}/pass-cost", of.name), why);
    }
    if (!of_loads)
        for (const char* path : {"write-buffer/entries", "write-buffer/drain"})
            ledger.withdraw(path, why);
    if (of_loads && shows_the_line(measurements)) return;
    for (const char* path : {"memories/l1/line", "memories/l1/sets", "memories/l1/mshr-entries"})
        ledger.withdraw(path, why);
}

/// Initiation intervals below the stall count of all other code. Ports of a warp delay nobody else:
/// that contending warps never wait is no reading then.
void read_tight_pairs(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    for (const auto& of : calibrated_classes()) {
        const std::string path = fmt::format("classes/{}/initiation", of.name);
        const auto* spacing = ledger.by_benchmark(path, "spacing-" + of.name);
        if (spacing == nullptr) {
            constexpr const char* unseen = "no two of one warp show it, and ports of a warp do not "
                                           "show in contention";
            ledger.withdraw(path, "crowd-" + of.name, unseen);
            ledger.withdraw(fmt::format("classes/{}{}", of.name, port_of_class), unseen);
            continue;
        }
        if (spacing->sharpness != Sharpness::AtMost) continue;
        const std::string benchmark = "tight-" + of.name;
        const auto* pair = measurements.find(benchmark);
        const auto* contending = ledger.by_benchmark(path, "crowd-" + of.name);
        const bool never_waits =
            contending != nullptr && contending->sharpness == Sharpness::AtMost;
        const std::string why = pair == nullptr
                                    ? measurements.why_not(benchmark)
                                    : "a pair of them waits, as contending warps do not";
        const auto times = pair == nullptr ? std::vector<std::int64_t>{} : distances(*pair, basis);
        const auto [lowest, highest] = std::ranges::minmax_element(times);
        // Below the issue slot nothing shows.
        const std::int64_t least = basis.slot.value_or(stated_stall);
        const bool waits = times.empty() || *highest > least;
        if (never_waits && waits) ledger.withdraw(path, "crowd-" + of.name, why);
        if (times.empty() || *lowest < 1) continue;
        if (waits)
            ledger.read(path, reading_of(times, benchmark, {pair}));
        else
            ledger.read(path, {{1, std::nullopt, least}, Sharpness::AtMost, benchmark, {pair}});
    }
}

/// An interval shows in the spacing of two instructions only: contending warps show its mean, which
/// looks like that of another port. Where they show what two instructions exclude, they wait for
/// something else.
void withdraw_contention(Ledger& ledger) {
    constexpr const char* why = "the initiation interval varies, or contending warps wait for "
                                "something else";
    for (const auto& of : calibrated_classes()) {
        const std::string path = fmt::format("classes/{}/initiation", of.name);
        const auto varies = [&](const std::string& benchmark) {
            const auto* reading = ledger.by_benchmark(path, benchmark);
            return reading != nullptr && reading->sharpness == Sharpness::Range;
        };
        const auto* contending = ledger.by_benchmark(path, "crowd-" + of.name);
        const auto excludes = [&](const std::string& benchmark) {
            const auto* reading = ledger.by_benchmark(path, benchmark);
            return reading != nullptr && contending != nullptr &&
                   contending->sharpness == Sharpness::Exact &&
                   (contending->interval.lo < reading->interval.lo ||
                    contending->interval.lo > reading->interval.hi);
        };
        const auto objects = [&](const std::string& benchmark) {
            return varies(benchmark) || excludes(benchmark);
        };
        if (!objects("spacing-" + of.name) && !objects("tight-" + of.name)) continue;
        ledger.withdraw(path, "crowd-" + of.name, why);
        ledger.withdraw(fmt::format("classes/{}{}", of.name, port_of_class), why);
    }
}

} // namespace

std::string premise_of_encoded(const std::optional<Basis>& basis) {
    if (!basis)
        return "the times of a straight line of instructions with stated stall counts vary, or are "
               "not linear in their number";
    if (basis->step != stated_stall)
        return fmt::format("instructions with a stall count of {} issue {} cycles apart: stall "
                           "counts do not add up as they state",
                           stated_stall, basis->step);
    return {};
}

void keep_encoded(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    ledger.withdraw("schedulers/same-warp-interval", {});
    read_tight_pairs(measurements, basis, ledger);
    withdraw_contention(ledger);
    withdraw_passes(measurements, ledger);
    withdraw_queued(measurements, basis, ledger);
}

} // namespace warpbound::harness
