#include "harness/simulator/memory/shape.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <string_view>

namespace warpbound::harness::simulator {

namespace {

constexpr std::int64_t cycle_limit = std::int64_t{1} << 31U;
constexpr std::int64_t count_limit = std::int64_t{1} << 16U;
constexpr std::int64_t byte_limit = std::int64_t{1} << 30U;

/// Reads values one after the other; the first that is missing is kept, the rest is then of no use.
class ShapeReader {
public:
    explicit ShapeReader(const models::Architecture& architecture) : architecture_{architecture} {}

    Result<MemoryShape> read();

private:
    Range range(std::string_view memory, std::string_view name, std::int64_t most = cycle_limit);
    std::uint64_t count(std::string_view memory, std::string_view name);
    std::uint64_t bytes(std::string_view memory, std::string_view name);
    bool flag(std::string_view memory, std::string_view name);
    CacheShape cache(std::string_view memory);
    void expect(bool holds, std::string_view what);

    const models::Architecture& architecture_;
    std::optional<Failure> failure_;
};

Range ShapeReader::range(std::string_view memory, std::string_view name, std::int64_t most) {
    const models::ValueGroup* const group = architecture_.memory(memory);
    const auto path = fmt::format("memories/{}", memory);
    const auto found = models::require(
        architecture_, group == nullptr ? models::ValueGroup{} : *group, path, name);
    if (!found) {
        if (!failure_)
            failure_ = Failure{found.error().what + ": an address pattern without a stated level "
                                                    "leads through the caches",
                               "", 0, 0};
        return {1, 1};
    }
    const Range read{found.value().lo, found.value().hi};
    expect(read.lo >= 0 && read.lo <= read.hi && read.hi <= most,
           fmt::format("{}/{} is {}..{}; expected at most {}", path, name, read.lo, read.hi, most));
    return read;
}

std::uint64_t ShapeReader::count(std::string_view memory, std::string_view name) {
    const Range read = range(memory, name, count_limit);
    expect(read.lo == read.hi && read.lo >= 1,
           fmt::format("memories/{}/{} is {}..{}; expected one number of at least 1", memory, name,
                       read.lo, read.hi));
    return static_cast<std::uint64_t>(read.lo);
}

std::uint64_t ShapeReader::bytes(std::string_view memory, std::string_view name) {
    const Range read = range(memory, name, byte_limit);
    const auto size = static_cast<std::uint64_t>(read.lo);
    expect(read.lo == read.hi && std::has_single_bit(size),
           fmt::format("memories/{}/{} is {}..{}; expected a power of two", memory, name, read.lo,
                       read.hi));
    return std::has_single_bit(size) ? size : 1;
}

bool ShapeReader::flag(std::string_view memory, std::string_view name) {
    const Range read = range(memory, name);
    expect(
        read.lo == read.hi && read.lo <= 1,
        fmt::format("memories/{}/{} is {}..{}; expected 0 or 1", memory, name, read.lo, read.hi));
    return read.lo == 1;
}

void ShapeReader::expect(bool holds, std::string_view what) {
    if (!holds && !failure_) failure_ = Failure{std::string{what}, architecture_.name, 0, 0};
}

CacheShape ShapeReader::cache(std::string_view memory) {
    CacheShape shape;
    shape.line = bytes(memory, "line");
    shape.sector = bytes(memory, "sector");
    shape.sets = count(memory, "sets");
    shape.ways = count(memory, "ways");
    shape.mshr_entries = count(memory, "mshr-entries");
    shape.mshr_merges = count(memory, "mshr-merges");
    shape.service = range(memory, "service");
    shape.latency = range(memory, "latency");
    expect(shape.sector <= shape.line && shape.line <= 64 * shape.sector,
           fmt::format("memories/{}/sector is {} and its line {}; expected 1 to 64 sectors", memory,
                       shape.sector, shape.line));
    // The sectors of one access must fit, or it would wait for ever.
    expect(shape.mshr_entries >= shape.line / shape.sector,
           fmt::format("memories/{}/mshr-entries is {}; expected at least one for each sector of a "
                       "line",
                       memory, shape.mshr_entries));
    expect(shape.service.lo >= 1,
           fmt::format("memories/{}/service is {}; expected at least 1", memory, shape.service.lo));
    return shape;
}

Result<MemoryShape> ShapeReader::read() {
    MemoryShape shape;
    shape.l1 = cache("l1");
    shape.l1_queue = count("l1", "queue");
    shape.l1_write_evict = flag("l1", "write-evict");
    shape.l2 = cache("l2");
    shape.slices = count("l2", "slices");
    shape.l2_write_allocate = flag("l2", "write-allocate");
    shape.l2_write_back = flag("l2", "write-back");
    shape.transit = range("interconnect", "latency");
    shape.link_service = range("interconnect", "service");
    shape.link_queue = count("interconnect", "queue");
    DramShape& dram = shape.dram;
    dram.latency = range("dram", "latency");
    dram.channels = count("dram", "channels");
    dram.banks = count("dram", "banks");
    dram.row = bytes("dram", "row");
    dram.row_hit = range("dram", "row-hit");
    dram.row_miss = range("dram", "row-miss");
    dram.queue = count("dram", "queue");
    dram.refresh_interval = range("dram", "refresh-interval");
    dram.refresh_duration = range("dram", "refresh-duration");
    expect(shape.l1.latency.lo >= 1,
           fmt::format("memories/l1/latency is {}; expected at least 1", shape.l1.latency.lo));
    expect(shape.l1.line <= shape.l2.line,
           fmt::format("memories/l1/line is {} and memories/l2/line {}; expected at most a line of "
                       "the L2",
                       shape.l1.line, shape.l2.line));
    expect(
        shape.transit.lo >= 1,
        fmt::format("memories/interconnect/latency is {}; expected at least 1", shape.transit.lo));
    expect(shape.l2.latency.lo >= 2 * shape.transit.hi && dram.latency.lo >= 2 * shape.transit.hi,
           fmt::format("memories/interconnect/latency is {}; expected at most half the latency of "
                       "l2 and dram, which contain it both ways",
                       shape.transit.hi));
    expect(dram.row >= shape.l2.line,
           fmt::format("memories/dram/row is {}; expected at least a line of the L2", dram.row));
    expect(
        shape.slices % dram.channels == 0,
        fmt::format("memories/l2/slices is {} and memories/dram/channels {}; expected a multiple",
                    shape.slices, dram.channels));
    expect(dram.refresh_duration.hi < dram.refresh_interval.lo,
           fmt::format("memories/dram/refresh-duration is {}; expected less than the interval",
                       dram.refresh_duration.hi));
    if (failure_) return std::move(*failure_);
    return shape;
}

} // namespace

Result<MemoryShape> read_memory_shape(const models::Architecture& architecture) {
    return ShapeReader{architecture}.read();
}

} // namespace warpbound::harness::simulator
