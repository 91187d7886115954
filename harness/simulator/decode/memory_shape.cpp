#include "harness/simulator/decode/memory_shape.hpp"

#include "harness/simulator/decode/architecture_values.hpp"
#include "models/architecture/cached_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpbound::harness::simulator {

namespace {

/// Reads the values of the memories by name.
class ShapeReader {
public:
    explicit ShapeReader(const models::Architecture& architecture)
        : architecture_{architecture},
          values_{architecture,
                  ": an address pattern without a stated level goes through the caches"} {}

    Result<MemoryShape> read();

private:
    [[nodiscard]] ArchitectureValues::Group group(std::string_view memory) const {
        return {architecture_.memory(memory), fmt::format("memories/{}", memory)};
    }
    CacheShape cache(std::string_view memory);
    DramShape dram();
    void expect_fit(const MemoryShape& shape);
    /// Behind memory queues times count from the hand-over (C74).
    void count_from_hand_over(MemoryShape& shape);

    const models::Architecture& architecture_;
    ArchitectureValues values_;
};

CacheShape ShapeReader::cache(std::string_view memory) {
    const auto cache = group(memory);
    CacheShape shape;
    shape.line = values_.bytes(cache, "line");
    shape.sector = values_.bytes(cache, "sector");
    shape.sets = values_.count(cache, "sets");
    const Range ways = values_.range(cache, "ways", 1, count_limit);
    shape.ways = static_cast<std::uint64_t>(ways.typical.value_or(ways.hi));
    shape.mshr_entries = values_.count(cache, "mshr-entries");
    shape.mshr_merges = values_.count(cache, "mshr-merges");
    shape.service = values_.range(cache, "service", 1);
    shape.latency = values_.range(cache, "latency", 1);
    values_.expect(shape.sector <= shape.line && shape.line <= 64 * shape.sector,
                   fmt::format("memories/{}/sector is {} and its line {}; expected 1 to 64 sectors",
                               memory, shape.sector, shape.line));
    // The sectors of one access must fit, or the access would wait forever.
    values_.expect(shape.mshr_entries >= shape.line / shape.sector,
                   fmt::format("memories/{}/mshr-entries is {}; expected at least one for each "
                               "sector of a line",
                               memory, shape.mshr_entries));
    return shape;
}

DramShape ShapeReader::dram() {
    const auto dram = group("dram");
    DramShape shape;
    shape.latency = values_.range(dram, "latency");
    shape.channels = values_.count(dram, "channels");
    shape.banks = values_.count(dram, "banks");
    shape.row = values_.bytes(dram, "row");
    shape.row_hit = values_.range(dram, "row-hit");
    shape.row_miss = values_.range(dram, "row-miss");
    shape.queue = values_.count(dram, "queue");
    shape.refresh_interval = values_.range(dram, "refresh-interval");
    shape.refresh_duration = values_.range(dram, "refresh-duration");
    return shape;
}

void ShapeReader::expect_fit(const MemoryShape& shape) {
    values_.expect(shape.l1.line <= shape.l2.line,
                   fmt::format("memories/l1/line is {} and memories/l2/line {}; expected at most a "
                               "line of the L2",
                               shape.l1.line, shape.l2.line));
    values_.expect(shape.l2.latency.lo >= 2 * shape.transit.hi &&
                       shape.dram.latency.lo >= 2 * shape.transit.hi,
                   fmt::format("memories/interconnect/latency is {}; expected at most half the "
                               "latency of l2 and dram, which contain it in both directions",
                               shape.transit.hi));
    values_.expect(
        shape.dram.row >= shape.l2.line,
        fmt::format("memories/dram/row is {}; expected at least a line of the L2", shape.dram.row));
    values_.expect(
        shape.slices % shape.dram.channels == 0,
        fmt::format("memories/l2/slices is {} and memories/dram/channels {}; expected a multiple",
                    shape.slices, shape.dram.channels));
    constexpr std::uint64_t entry_limit = std::uint64_t{1} << 22U; // Limits host memory.
    const auto expect_few = [&](std::uint64_t entries, std::string_view what) {
        values_.expect(
            entries <= entry_limit,
            fmt::format("memories: {} is {}; expected at most {}", what, entries, entry_limit));
    };
    expect_few(shape.l1.sets * shape.l1.ways, "l1/sets x ways");
    expect_few(shape.slices * shape.l2.sets * shape.l2.ways, "l2/slices x sets x ways");
    expect_few(shape.slices * shape.l2.mshr_entries, "l2/slices x mshr-entries");
    expect_few(shape.dram.channels * shape.dram.banks, "dram/channels x banks");
    values_.expect(shape.dram.refresh_duration.hi < shape.dram.refresh_interval.lo,
                   fmt::format("memories/dram/refresh-duration is {}; expected less than the "
                               "interval",
                               shape.dram.refresh_duration.hi));
}

void ShapeReader::count_from_hand_over(MemoryShape& shape) {
    if (!architecture_.has_memory_queue()) return;
    const std::int64_t entry = models::entry_of_cached_loads(architecture_);
    const auto expect_later = [&](const Range& latency, std::int64_t least, std::string_view level,
                                  std::string_view beside) {
        values_.expect(latency.lo >= entry + least,
                       fmt::format("memories/{}/latency is {}; expected at least {} behind the "
                                   "memory-queue: the entry of loads{}",
                                   level, latency.lo, entry + least, beside));
    };
    expect_later(shape.l1.latency, 1, "l1", " and a cycle");
    expect_later(shape.l2.latency, 2 * shape.transit.hi, "l2", " and interconnect/latency twice");
    expect_later(shape.dram.latency, 2 * shape.transit.hi, "dram",
                 " and interconnect/latency twice");
    const std::size_t schedulers =
        values_.count({&architecture_.schedulers, "schedulers"}, "count");
    const std::size_t places =
        values_.count({&architecture_.memory_queue, "memory-queue"}, "places");
    values_.expect(shape.l1_queue > places * schedulers,
                   fmt::format("memories/l1/queue is {}; expected more than the {} places of the "
                               "memory queues, whose loads it holds",
                               shape.l1_queue, places * schedulers));
    for (Range* latency : {&shape.l1.latency, &shape.l2.latency, &shape.dram.latency}) {
        latency->lo -= entry;
        latency->hi -= entry;
        if (latency->typical) *latency->typical -= entry;
    }
}

Result<MemoryShape> ShapeReader::read() {
    const auto l1 = group("l1");
    const auto l2 = group("l2");
    const auto interconnect = group("interconnect");
    MemoryShape shape;
    shape.l1 = cache("l1");
    shape.l1_queue = values_.count(l1, "queue");
    shape.l1_write_evict = values_.flag(l1, "write-evict");
    shape.l1_invalidate = l1.values != nullptr && l1.values->find("invalidate") != nullptr &&
                          values_.flag(l1, "invalidate");
    shape.l2 = cache("l2");
    shape.slices = values_.count(l2, "slices");
    shape.l2_write_allocate = values_.flag(l2, "write-allocate");
    shape.l2_write_back = values_.flag(l2, "write-back");
    shape.transit = values_.range(interconnect, "latency", 1);
    shape.link_service = values_.range(interconnect, "service");
    shape.link_queue = values_.count(interconnect, "queue");
    shape.dram = dram();
    expect_fit(shape);
    count_from_hand_over(shape);
    if (values_.failure()) return *values_.failure();
    return shape;
}

} // namespace

Result<MemoryShape> read_memory_shape(const models::Architecture& architecture) {
    return ShapeReader{architecture}.read();
}

AtomicShape read_atomic_shape(const models::Architecture& architecture) {
    const auto exact = [&](std::string_view name) -> std::int64_t {
        const models::ValueGroup* const l2 = architecture.memory("l2");
        const models::SourcedValue* const value = l2 == nullptr ? nullptr : l2->find(name);
        return value != nullptr && value->interval && value->interval->is_exact()
                   ? value->interval->lo
                   : 0;
    };
    AtomicShape shape;
    const std::int64_t slices = exact("slices");
    if (slices >= 1 && slices <= count_limit) shape.slices = static_cast<std::size_t>(slices);
    shape.line = static_cast<std::uint64_t>(std::max<std::int64_t>(0, exact("line")));
    return shape;
}

} // namespace warpbound::harness::simulator
