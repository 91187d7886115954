#include "harness/calibration/relations.hpp"
#include "harness/protocol/statistics.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpbound::harness {

namespace {

constexpr const char* buffer_entries_path = "write-buffer/entries";
constexpr const char* drain_path = "write-buffer/drain";

/// A reading of the write buffer by one benchmark.
struct BufferReading {
    std::string benchmark;
    Ledger& ledger;

    void neither(const std::string& why) const {
        ledger.unidentified(buffer_entries_path, fmt::format("{}: {}", benchmark, why));
        ledger.unidentified(drain_path, fmt::format("{}: {}", benchmark, why));
    }

    void found(std::int64_t entries, std::vector<std::int64_t> drains,
               const std::vector<const RecordedSeries*>& series) const {
        ledger.read(buffer_entries_path,
                    {{entries, entries, entries}, Sharpness::Exact, benchmark, series});
        ledger.read(drain_path, reading_of(std::move(drains), benchmark, series));
    }
};

/// The part of a store burst from the first store on whose clock read no other warp delayed. Such a
/// store waited for an entry to drain.
struct BurstTail {
    std::int64_t stores = 0;          ///< Stores before the first of them.
    std::int64_t drained = 0;         ///< Cycles per transaction until then, over all entries.
    std::vector<std::int64_t> drains; ///< Cycles per transaction of each later entry.
};

/// Which stores may have waited for a port and not for a buffer entry: another store issued earlier
/// by exactly the time for which a store occupies its port. `Shape:` found[store], in issue order.
std::vector<bool> may_wait_for_port(const std::vector<WarpClocks>& warps, std::int64_t port) {
    std::vector<bool> found;
    for (std::size_t i = 0; i < warps.size(); ++i)
        found.push_back(std::any_of(
            warps.begin(), warps.begin() + static_cast<std::ptrdiff_t>(i),
            [&](const WarpClocks& before) { return warps[i].first - before.first == port; }));
    return found;
}

/// `port`: cycles for which one of these stores occupies its port. Empty if not even the last two
/// stores have such a distance.
std::optional<BurstTail> tail_of(const Sample& sample, const Basis& basis, std::int64_t port) {
    auto warps = clocks_of(sample);
    std::sort(warps.begin(), warps.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    // After its last clock read a warp issues two more instructions. Then it delays no other warp.
    const std::int64_t ending = basis.empty_region + 3 * basis.step;
    std::size_t quiet = warps.size();
    std::int64_t last_read = 0;
    for (std::size_t i = 0; i < warps.size(); ++i) {
        if (warps[i].first < last_read + ending)
            quiet = warps.size();
        else if (quiet == warps.size())
            quiet = i;
        last_read = std::max(last_read, warps[i].last);
    }
    BurstTail tail;
    std::size_t first = warps.size() - 1;
    while (first > quiet) {
        const std::int64_t wait = warps[first].first - warps[first - 1].first;
        if (wait == 0 || wait % many_passes != 0) break;
        --first;
    }
    // If a store issued later than its entry became free, the next entry appears to drain faster.
    const auto late = may_wait_for_port(warps, port);
    while (first + 1 < warps.size() && late[first])
        ++first;
    for (std::size_t i = first; i + 1 < warps.size(); ++i)
        if (!late[i]) tail.drains.push_back((warps[i + 1].first - warps[i].first) / many_passes);
    if (tail.drains.empty()) return std::nullopt;
    tail.stores = static_cast<std::int64_t>(first);
    // The first warp may read its clock a few issue slots late.
    tail.drained = (warps[first].first + many_passes - 1) / many_passes;
    return tail;
}

/// Whether more stores than there are schedulers issued within half of the time for which a store
/// occupies its port: then warps do not share a port.
bool have_own_ports(const RecordedSeries& burst, std::int64_t schedulers, std::int64_t port) {
    const auto at_once = static_cast<std::size_t>(schedulers);
    return std::all_of(burst.samples.begin(), burst.samples.end(), [&](const Sample& sample) {
        std::vector<std::int64_t> stores;
        for (const auto& clocks : clocks_of(sample))
            stores.push_back(clocks.first);
        std::sort(stores.begin(), stores.end());
        for (std::size_t i = at_once; i < stores.size(); ++i)
            if (2 * (stores[i] - stores[i - at_once]) < port) return true;
        return false;
    });
}

/// All warps store at once: fills the buffer if each warp has its own port.
void read_burst(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const BufferReading reading{"store-burst", ledger};
    const std::string point = fmt::format("store-burst/warps={}", contending_warps);
    const auto* burst = measurements.find(point);
    if (burst == nullptr) return reading.neither(measurements.why_not(point));
    if (!basis.schedulers) return reading.neither("the schedulers are not known");
    const auto* alone = measurements.find("port-store-global");
    if (alone == nullptr) return reading.neither(measurements.why_not("port-store-global"));
    const auto port_times = distances(*alone, basis);
    const std::int64_t port = *std::max_element(port_times.begin(), port_times.end());
    std::vector<BurstTail> tails;
    std::vector<std::int64_t> drains;
    for (const auto& sample : burst->samples) {
        auto tail = tail_of(sample, basis, port);
        if (!tail)
            return reading.neither(fmt::format("the last stores of {} do not wait a whole number "
                                               "of cycles for each of {} transactions",
                                               contending_warps, many_passes));
        drains.insert(drains.end(), tail->drains.begin(), tail->drains.end());
        tails.push_back(std::move(*tail));
    }
    const auto [fastest, slowest] = std::minmax_element(drains.begin(), drains.end());
    if (*fastest * many_passes <= port && !have_own_ports(*burst, *basis.schedulers, port))
        return reading.neither("stores may wait for a port that warps share");
    // When a waiting store issues, all earlier stores but those in the buffer have drained.
    std::vector<std::int64_t> fitting;
    for (std::int64_t entries = 1; entries < contending_warps; ++entries)
        if (std::all_of(tails.begin(), tails.end(), [&](const BurstTail& tail) {
                const std::int64_t gone = tail.stores + 1 - entries;
                return gone * *fastest <= tail.drained && tail.drained <= gone * *slowest;
            }))
            fitting.push_back(entries);
    if (fitting.size() != 1)
        return reading.neither(fitting.empty() ? "no number of entries agrees with every run"
                                               : "several numbers of entries agree with all runs");
    // A port per scheduler would let pass one store of each scheduler at a time.
    if (fitting.front() <= *basis.schedulers)
        return reading.neither("each store waits for the one before it: a port would do the same");
    reading.found(fitting.front(), std::move(drains), {burst, alone});
}

/// "store-plug": one warp issues a store of many transactions, which blocks the buffer, then stores
/// of one: fills the buffer if the port is faster than the drain.
void read_plug(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const BufferReading reading{"store-plug", ledger};
    std::int64_t behind_plug = 0; // From the blocking store to the next one.
    std::int64_t spacing = 0;     // Between further stores that find a free entry.
    const auto* alone = measurements.find("spacing-store-global");
    if (alone == nullptr) return reading.neither(measurements.why_not("spacing-store-global"));
    std::vector<const RecordedSeries*> series{alone};
    const auto distance = distances(*alone, basis);
    spacing = *std::max_element(distance.begin(), distance.end());
    if (*std::min_element(distance.begin(), distance.end()) < basis.step)
        return reading.neither("spacing-store-global took less time than its instructions need");
    for (std::int64_t n = 1; n <= most_plugged; ++n) {
        const std::string point = fmt::format("store-plug/n={}", n);
        const auto* one = measurements.find(point);
        if (one == nullptr) return reading.neither(measurements.why_not(point));
        series.push_back(one);
        // From the issue of the blocking store to that of the last store, in each run.
        const std::vector<std::int64_t> times = distances(*one, basis);
        const auto constant = constant_time(one);
        if (n == 1) {
            if (!constant) return reading.neither("the second store already waits for the first");
            behind_plug = times.front();
            continue;
        }
        const std::int64_t undisturbed = behind_plug + (n - 1) * spacing;
        if (constant && times.front() == undisturbed) continue;
        std::vector<std::int64_t> drains;
        for (const auto time : times) {
            if (time <= undisturbed) continue; // The blocking store had drained.
            if (time < many_passes || time % many_passes != 0)
                return reading.neither(fmt::format("a store waits {} cycles: no whole number for "
                                                   "each of {} transactions",
                                                   time, many_passes));
            drains.push_back(time / many_passes);
        }
        if (drains.empty())
            return reading.neither("stores issue closer than their distance in isolation");
        if (drains.size() < times.size()) {
            // Only slow drains can be observed, so the drain time is unknown; that stores wait
            // shows the number of entries.
            ledger.read(buffer_entries_path,
                        {{n, n, n}, Sharpness::Exact, reading.benchmark, series});
            return ledger.unidentified(
                drain_path, "store-plug: in some runs the first store drains before others wait");
        }
        return reading.found(n, std::move(drains), series);
    }
    reading.neither(fmt::format("{} stores of a warp never wait for an entry", most_plugged));
}

/// "store-train": stores of one warp drain more slowly than its port accepts them, so the buffer
/// fills.
void read_train(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const auto no_drain = [&](const std::string& why) {
        ledger.unidentified(drain_path, "store-train-next: " + why);
        ledger.unidentified(buffer_entries_path, "store-train: " + why);
    };
    const auto* port = measurements.find("port-store-global");
    const auto* next = measurements.find("store-train-next");
    if (port == nullptr) return no_drain(measurements.why_not("port-store-global"));
    if (next == nullptr) return no_drain(measurements.why_not("store-train-next"));
    const auto port_times = distances(*port, basis);
    auto waits = all_times(*next);
    if (*std::min_element(waits.begin(), waits.end()) <=
        std::max(basis.step, *std::max_element(port_times.begin(), port_times.end())))
        return no_drain("stores of one warp do not issue faster than they drain");
    const double mean_wait = summarise(waits).mean;
    for (auto& wait : waits) {
        if (wait % many_passes != 0)
            return no_drain(fmt::format("a store waits {} cycles: no whole number for each of {} "
                                        "transactions",
                                        wait, many_passes));
        wait /= many_passes;
    }
    ledger.read(drain_path, reading_of(std::move(waits), "store-train-next", {next, port}));
    const auto no_entries = [&](const std::string& why) {
        ledger.unidentified(buffer_entries_path, "store-train: " + why);
    };
    std::vector<const RecordedSeries*> series{next, port};
    std::array<double, train_counts.size()> times{};
    for (std::size_t i = 0; i < train_counts.size(); ++i) {
        const std::string point = fmt::format("store-train/n={}", train_counts[i]);
        const auto* train = measurements.find(point);
        if (train == nullptr) return no_entries(measurements.why_not(point));
        times[i] = summarise(distances(*train, basis)).mean;
        series.push_back(train);
    }
    // Once the buffer is full, each further store of a train waits for one more to drain.
    for (std::size_t i = 0; i + 1 < train_counts.size(); ++i) {
        const double slope =
            (times.back() - times[i]) / static_cast<double>(train_counts.back() - train_counts[i]);
        if (std::abs(slope - mean_wait) > mean_wait / 40) continue;
        // A train that does not fill the buffer suggests fewer entries than a longer one.
        const auto occupied = [&](std::size_t of) {
            return static_cast<double>(train_counts[of]) - times[of] / slope;
        };
        const auto entries = static_cast<std::int64_t>(std::lround(occupied(i)));
        const double off = std::max(std::abs(occupied(i) - static_cast<double>(entries)),
                                    std::abs(occupied(i + 1) - static_cast<double>(entries)));
        if (off > 0.35 || entries < 1 || i + 2 == train_counts.size()) continue;
        return ledger.read(
            buffer_entries_path,
            {{entries, entries, entries}, Sharpness::Exact, "store-train", std::move(series)});
    }
    no_entries("trains of two lengths do not agree on a whole number");
}

/// Initiation intervals from the distance of two stores of a warp, unless that may be the drain
/// time of the only entry.
void read_store_ports(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const auto entries = ledger.number(buffer_entries_path);
    for (const auto& of : calibrated_classes()) {
        if (!of.is_buffered) continue;
        const std::string path = fmt::format("classes/{}/initiation", of.name);
        if (entries && *entries < 2) {
            ledger.unidentified(path, "a buffer of one entry is what stores wait for");
            continue;
        }
        const auto* port = measurements.find("port-" + of.name);
        if (port != nullptr && !entries && !constant_time(port)) {
            ledger.unidentified(path, "the write buffer may be what stores wait for");
            continue;
        }
        read_distance(path, "spacing-" + of.name, 1, measurements, basis, ledger);
        read_port_time(of.name, measurements, basis, ledger);
    }
}

} // namespace

void read_write_buffer(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    read_burst(measurements, basis, ledger);
    read_plug(measurements, basis, ledger);
    read_train(measurements, basis, ledger);
    read_store_ports(measurements, basis, ledger);
}

} // namespace warpbound::harness
