#include "analyzer/launch/memory_parameters.hpp"

#include "models/architecture/cached_loads.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 40U;

class ParameterReader {
public:
    explicit ParameterReader(const models::Architecture& architecture)
        : architecture_{architecture} {}

    models::Interval interval(const char* memory, const char* value, std::int64_t least = 0) {
        const std::string path = fmt::format("memories/{}", memory);
        const models::ValueGroup* group = architecture_.memory(memory);
        const auto read = models::require(
            architecture_, group == nullptr ? models::ValueGroup{} : *group, path, value);
        if (!read) {
            fail(read.error());
            return {1, 1, 1};
        }
        if (read.value().lo < least)
            fail(Failure{fmt::format("memories/{}/{} is {}; expected at least {}", memory, value,
                                     read.value().lo, least),
                         architecture_.name});
        return read.value();
    }
    /// A power of two.
    std::uint64_t size(const char* memory, const char* value) {
        const models::Interval read = interval(memory, value, 1);
        const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(1, read.lo));
        expect(read.is_exact() && read.lo <= largest_size && std::has_single_bit(bytes),
               fmt::format("memories/{}/{} is {}..{}; expected one power of two", memory, value,
                           read.lo, read.hi));
        return bytes;
    }
    void expect(bool holds, std::string what) {
        if (!holds) fail(Failure{std::move(what), architecture_.name});
    }
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    void fail(Failure failure) {
        if (!failure_) failure_ = std::move(failure);
    }

    const models::Architecture& architecture_;
    std::optional<Failure> failure_;
};

/// Of all schedulers of an SM; a count. 0 without memory queues.
models::Cycles places_of_memory_queues(const models::Architecture& architecture) {
    const models::SourcedValue* const places = architecture.memory_queue.find("places");
    const models::SourcedValue* const schedulers = architecture.schedulers.find("count");
    if (places == nullptr || !places->interval || schedulers == nullptr || !schedulers->interval)
        return models::Cycles{0};
    return models::Cycles{places->interval->hi} * schedulers->interval->hi;
}

} // namespace

std::uint64_t MemoryParameters::second_sectors_of(const models::TouchedLine& footprint) const {
    std::uint64_t sectors = 0;
    for (std::uint64_t rest = footprint.sectors; rest != 0; rest &= rest - 1) {
        const std::uint64_t begin = footprint.address % second_line +
                                    static_cast<std::uint64_t>(std::countr_zero(rest)) * sector;
        for (std::uint64_t at = begin / second_sector; at * second_sector < begin + sector; ++at)
            sectors |= std::uint64_t{1} << at;
    }
    return sectors;
}

Result<MemoryParameters> read_memory_parameters(const models::Architecture& architecture) {
    ParameterReader read{architecture};
    MemoryParameters values;
    values.line = read.size("l1", "line");
    values.sector = read.size("l1", "sector");
    values.second_line = read.size("l2", "line");
    values.second_sector = read.size("l2", "sector");
    values.row = read.size("dram", "row");
    read.expect(models::fit_together(values.line, values.sector) &&
                    models::fit_together(values.second_line, values.second_sector) &&
                    values.line <= values.second_line && values.second_line <= values.row,
                "memories: expected 1 to 64 sectors in a line, and no line of l1 longer than one "
                "of l2, nor that than a dram/row");
    values.first_level_service = read.interval("l1", "service", 1);
    values.slice_service = read.interval("l2", "service", 1);
    values.link_service = read.interval("interconnect", "service");
    values.link_queue = read.interval("interconnect", "queue", 1).lo;
    values.transit = read.interval("interconnect", "latency");
    const models::Interval& transit = values.transit;
    values.transit_spread = 2 * (transit.hi - transit.lo);
    const models::Interval second = read.interval("l2", "latency");
    const models::Interval dram = read.interval("dram", "latency");
    const std::int64_t entry = models::entry_of_cached_loads(architecture);
    read.expect(
        std::min(second.lo, dram.lo) - entry >= 2 * transit.hi || entry == 0,
        "memories: behind the memory-queue, expected a latency of l2 and dram that contains "
        "the entry of loads and interconnect/latency in both directions");
    read.expect(std::min(second.lo, dram.lo) / 2 >= transit.hi,
                fmt::format("memories/interconnect/latency is up to {}; expected at most half the "
                            "latency of l2 and dram, which contain it in both directions",
                            transit.hi));
    values.round_trip = std::max(second.hi, dram.hi) + values.transit_spread;
    values.round_trip_lo = std::min(second.lo, dram.lo);
    values.second_latency = second.hi;
    values.dram_latency = dram.hi;
    values.dram_latency_lo = dram.lo;
    const models::Interval sets = read.interval("l1", "sets", 1);
    if (sets.is_exact())
        values.sets = static_cast<std::uint64_t>(std::max<std::int64_t>(1, sets.lo));
    values.ways = read.interval("l1", "ways", 1).lo;
    const models::Interval first = read.interval("l1", "latency");
    values.first_level_latency = first.hi;
    values.first_level_latency_lo = first.lo;
    read.expect(entry == 0 || first.lo > entry,
                "memories/l1/latency: behind the memory-queue, expected more than the entry of "
                "loads");
    const models::Interval second_sets = read.interval("l2", "sets", 1);
    if (second_sets.is_exact())
        values.second_sets = static_cast<std::uint64_t>(std::max<std::int64_t>(1, second_sets.lo));
    values.second_ways = read.interval("l2", "ways", 1).lo;
    values.slices = read.interval("l2", "slices", 1);
    values.load_queue = read.interval("l1", "queue", 1).lo;
    read.expect(!architecture.has_memory_queue() ||
                    models::Cycles{values.load_queue} > places_of_memory_queues(architecture),
                fmt::format("memories/l1/queue is {}; expected more than the {} places of the "
                            "memory queues, whose loads it holds",
                            values.load_queue, places_of_memory_queues(architecture).count()));
    values.keeps_stores = true;
    for (const char* flag : {"write-allocate", "write-back"})
        values.keeps_stores = read.interval("l2", flag).lo != 0 && values.keeps_stores;
    values.write_evict = read.interval("l1", "write-evict").hi != 0;
    // The sectors of one access must fit, or it would wait without end.
    const auto entries = [&](const char* cache, std::uint64_t sector) {
        return read.interval(
            cache, "mshr-entries",
            static_cast<std::int64_t>(std::max<std::uint64_t>(1, values.line / sector)));
    };
    values.entries = entries("l1", values.sector);
    values.merges = read.interval("l1", "mshr-merges", 1).lo;
    values.slice_entries = entries("l2", values.second_sector).lo;
    values.slice_merges = read.interval("l2", "mshr-merges", 1).lo;
    const auto sectors =
        static_cast<std::int64_t>(std::max<std::uint64_t>(1, values.line / values.second_sector));
    values.row_hit = read.interval("dram", "row-hit");
    values.row_miss = read.interval("dram", "row-miss").hi;
    const models::Cycles hit = models::Cycles{values.row_hit.hi} * sectors;
    values.transfer = std::max(hit.count(), values.row_miss);
    values.channels = read.interval("dram", "channels", 1);
    values.banks = read.interval("dram", "banks", 1);
    values.dram_queue = read.interval("dram", "queue", 1);
    values.refresh_duration = read.interval("dram", "refresh-duration").hi;
    values.refresh_interval = read.interval("dram", "refresh-interval").lo;
    read.expect(values.refresh_duration == 0 ||
                    values.transfer <= values.refresh_interval - values.refresh_duration,
                "memories/dram/refresh-interval: expected at least the time of a transfer between "
                "two refreshes");
    if (read.failure()) return *read.failure();
    return values;
}

} // namespace warpbound::analyzer
