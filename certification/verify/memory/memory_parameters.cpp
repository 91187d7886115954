#include "certification/verify/memory/memory_parameters.hpp"

#include "certification/verify/interference/launch_geometry.hpp"
#include "certification/verify/interference/residency.hpp"
#include "models/facts/address_pattern.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

class Values {
public:
    explicit Values(const KernelCase& kernel) : kernel_{kernel} {}

    [[nodiscard]] models::Interval of(const char* memory, const char* name,
                                      std::int64_t least) const {
        const auto value =
            models::require(kernel_.architecture, group(memory), path(memory).c_str(), name);
        if (!value) fail(to_string(value.error()));
        if (value.value().lo < least)
            fail(fmt::format("{}/{} is below {}", path(memory), name, least));
        return value.value();
    }
    /// In bytes.
    [[nodiscard]] std::int64_t size(const char* memory, const char* name) const {
        return exact_number(kernel_, group(memory), path(memory).c_str(), name);
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw Finding{Verdict::Failed, kernel_.id + ": " + what};
    }
    void expect(bool holds, const char* what) const {
        if (!holds) fail(std::string{"the memory system: "} + what);
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

MemoryParameters read_memory_parameters(const KernelCase& kernel, std::int64_t multiprocessors) {
    const Values values{kernel};
    const std::int64_t line = values.size("l1", "line");
    const std::int64_t sector = values.size("l1", "sector");
    const std::int64_t second_sector = values.size("l2", "sector");
    const std::int64_t second_line = values.size("l2", "line");
    const auto fit = [](std::int64_t whole, std::int64_t part) {
        return models::fit_together(static_cast<std::uint64_t>(whole),
                                    static_cast<std::uint64_t>(part));
    };
    values.expect(fit(line, sector) && fit(second_line, second_sector),
                  "a line has not 1 to 64 sectors");
    // Else one line access would go to several lines of the L2, or rows of DRAM.
    values.expect(line <= second_line && second_line <= values.size("dram", "row"),
                  "a line of the L1 is longer than one of the L2, or that than a row of DRAM");
    const std::int64_t sectors = line / sector;
    const std::int64_t second_sectors = std::max<std::int64_t>(1, line / second_sector);
    const auto transit = values.of("interconnect", "latency", 0);
    const auto second = values.of("l2", "latency", 0);
    const auto dram = values.of("dram", "latency", 0);
    values.expect(std::min(second.lo, dram.lo) / 2 >= transit.hi,
                  "latencies of L2 and DRAM do not contain both ways on a link");

    MemoryParameters system;
    system.l1_service = values.of("l1", "service", 1).hi;
    system.slice_service = values.of("l2", "service", 1).hi;
    system.link_service = values.of("interconnect", "service", 0).hi;
    system.transit = transit.hi;
    system.load_places = values.of("l1", "queue", 1).lo;
    system.link_places = values.of("interconnect", "queue", 1).lo;
    // Who merges may have a longer way both ways than whom it merges with.
    system.way =
        (models::Cycles{std::max(second.hi, dram.hi)} + models::Cycles{transit.hi - transit.lo} * 2)
            .count();
    system.transfer = std::max(models::times(values.of("dram", "row-hit", 0).hi, second_sectors),
                               values.of("dram", "row-miss", 0).hi);

    const auto entries = values.of("l1", "mshr-entries", sectors);
    const std::int64_t slice_entries = values.of("l2", "mshr-entries", second_sectors).lo;
    const std::int64_t slice_places = values.of("l2", "mshr-merges", 1).lo;
    system.entries = entries.hi;
    // An access has an entry for each of its sectors at most, and one place in each.
    system.holders = std::min(entries.lo / sectors, values.of("l1", "mshr-merges", 1).lo);
    const std::int64_t asked = models::times(models::times(entries.hi, multiprocessors),
                                             std::max<std::int64_t>(1, sector / second_sector));
    if (asked > slice_entries)
        system.holders = std::min(system.holders, slice_entries / second_sectors);
    // An L1 asks for a sector once until it comes.
    if (second_sector > sector || multiprocessors > slice_places)
        system.holders = std::min(system.holders, slice_places);

    system.channels = values.of("dram", "channels", 1).hi;
    system.refresh = values.of("dram", "refresh-duration", 0).hi;
    system.refresh_interval = values.of("dram", "refresh-interval", 0).lo;
    values.expect(system.refresh == 0 ||
                      system.transfer <= system.refresh_interval - system.refresh,
                  "no transfer fits between two refreshes");
    return system;
}

} // namespace warpbound::certification::verify
