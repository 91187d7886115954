#include "certification/verify/memory/memory_parameters.hpp"

#include "certification/verify/machine_values.hpp"
#include "certification/verify/memory/behind_queue.hpp"
#include "models/facts/address_pattern.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

class MemoryValues {
public:
    explicit MemoryValues(const KernelCase& kernel) : kernel_{kernel} {}

    [[nodiscard]] models::Interval of(const char* memory, const char* name,
                                      std::int64_t least) const {
        const auto value =
            models::require(kernel_.architecture, group(memory), path(memory).c_str(), name);
        if (!value) refuse(to_string(value.error()));
        if (value.value().lo < least)
            refuse(fmt::format("{}/{} is below {}", path(memory), name, least));
        return value.value();
    }
    /// In bytes.
    [[nodiscard]] std::int64_t size(const char* memory, const char* name) const {
        return exact_number(kernel_, group(memory), path(memory).c_str(), name);
    }
    [[noreturn]] void refuse(const std::string& what) const { refuted(kernel_.id + ": " + what); }
    void require(bool holds, const char* what) const {
        if (!holds) refuse(std::string{"the memory parameters: "} + what);
    }

private:
    [[nodiscard]] static std::string path(const char* memory) {
        return std::string{"memories/"} + memory;
    }
    [[nodiscard]] const models::ValueGroup& group(const char* memory) const {
        static const models::ValueGroup none;
        const models::ValueGroup* found = kernel_.architecture.memory(memory);
        return found == nullptr ? none : *found;
    }

    const KernelCase& kernel_;
};

} // namespace

MemoryParameters described_memory(const KernelCase& kernel, std::int64_t multiprocessors) {
    const MemoryValues values{kernel};
    const std::int64_t line = values.size("l1", "line");
    const std::int64_t sector = values.size("l1", "sector");
    const std::int64_t l2_sector = values.size("l2", "sector");
    const std::int64_t l2_line = values.size("l2", "line");
    const auto fit = [](std::int64_t whole, std::int64_t part) {
        return models::fit_together(static_cast<std::uint64_t>(whole),
                                    static_cast<std::uint64_t>(part));
    };
    values.require(fit(line, sector) && fit(l2_line, l2_sector), "a line has not 1 to 64 sectors");
    // Otherwise one line access would need several lines of the L2, or several rows of DRAM.
    values.require(
        line <= l2_line && l2_line <= values.size("dram", "row"),
        "a line of the L1 is longer than one of the L2, or one of the L2 than a row of DRAM");
    const std::int64_t sectors = line / sector;
    const std::int64_t l2_sectors = std::max<std::int64_t>(1, line / l2_sector);
    const auto transit = values.of("interconnect", "latency", 0);
    const auto l2 = values.of("l2", "latency", 0);
    const auto dram = values.of("dram", "latency", 0);
    values.require(std::min(l2.lo, dram.lo) / 2 >= transit.hi,
                   "latencies of L2 and DRAM do not contain both transits on a link");
    check_levels_behind_queue(kernel);

    MemoryParameters memory;
    memory.l1_service = values.of("l1", "service", 1).hi;
    memory.slice_service = values.of("l2", "service", 1).hi;
    memory.link_service = values.of("interconnect", "service", 0).hi;
    memory.transit = transit.hi;
    memory.load_queue_entries = values.of("l1", "queue", 1).lo;
    memory.link_queue_entries = values.of("interconnect", "queue", 1).lo;
    // A load that merges may have longer transits, in both directions, than the miss it merges
    // with.
    memory.unloaded =
        (models::Cycles{std::max(l2.hi, dram.hi)} + models::Cycles{transit.hi - transit.lo} * 2)
            .count();
    memory.transfer = std::max(models::times(values.of("dram", "row-hit", 0).hi, l2_sectors),
                               values.of("dram", "row-miss", 0).hi);

    const auto entries = values.of("l1", "mshr-entries", sectors);
    const std::int64_t slice_entries = values.of("l2", "mshr-entries", l2_sectors).lo;
    const std::int64_t slice_merges = values.of("l2", "mshr-merges", 1).lo;
    memory.mshr_entries = entries.hi;
    // A line access has at most one entry for each of its sectors, and one merge slot in each.
    memory.outstanding_while_full =
        std::min(entries.lo / sectors, values.of("l1", "mshr-merges", 1).lo);
    const std::int64_t requested = models::times(models::times(entries.hi, multiprocessors),
                                                 std::max<std::int64_t>(1, sector / l2_sector));
    if (requested > slice_entries)
        memory.outstanding_while_full =
            std::min(memory.outstanding_while_full, slice_entries / l2_sectors);
    // An L1 has one request for a sector outstanding at a time.
    if (l2_sector > sector || multiprocessors > slice_merges)
        memory.outstanding_while_full = std::min(memory.outstanding_while_full, slice_merges);

    memory.channels = values.of("dram", "channels", 1).hi;
    memory.refresh = values.of("dram", "refresh-duration", 0).hi;
    memory.refresh_interval = values.of("dram", "refresh-interval", 0).lo;
    values.require(memory.refresh == 0 ||
                       memory.transfer <= memory.refresh_interval - memory.refresh,
                   "no transfer fits between two refreshes");
    return memory;
}

} // namespace warpbound::certification::verify
