#include "certification/verify/memory/memory_layout.hpp"

#include "certification/verify/machine_values.hpp"
#include "certification/verify/memory/behind_queue.hpp"
#include "models/facts/address_pattern.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

namespace warpbound::certification::verify {

namespace {

class LayoutReader {
public:
    LayoutReader(const KernelCase& kernel, const char* memory)
        : kernel_{kernel}, path_{fmt::format("memories/{}", memory)},
          group_{kernel.architecture.memory(memory)} {}

    [[nodiscard]] models::Interval range(const char* name, std::int64_t least = 0) const {
        const models::Interval value = known_value(kernel_, group(), path_.c_str(), name);
        if (value.lo < least)
            refuted(fmt::format("{}: {}/{} is below {}", kernel_.id, path_, name, least));
        return value;
    }
    [[nodiscard]] std::uint64_t size(const char* name) const {
        return static_cast<std::uint64_t>(exact_number(kernel_, group(), path_.c_str(), name));
    }

private:
    [[nodiscard]] const models::ValueGroup& group() const {
        static const models::ValueGroup none;
        return group_ == nullptr ? none : *group_;
    }

    const KernelCase& kernel_;
    std::string path_;
    const models::ValueGroup* group_;
};

void read_l1(const LayoutReader& l1, MemoryLayout& layout) {
    layout.line = l1.size("line");
    layout.sector = l1.size("sector");
    layout.l1_sets = l1.range("sets", 1);
    layout.l1_ways = l1.range("ways", 1).lo;
    layout.stores_evict = l1.range("write-evict").hi != 0;
    layout.l1_latency = l1.range("latency");
    layout.l1_service = l1.range("service", 1).hi;
    layout.l1_service_lo = l1.range("service", 1).lo;
    layout.l1_entries = l1.range("mshr-entries", 1);
    layout.l1_merges = l1.range("mshr-merges", 1).lo;
    layout.load_queue = l1.range("queue", 1).lo;
}

void read_l2(const LayoutReader& l2, MemoryLayout& layout) {
    layout.l2_line = l2.size("line");
    layout.l2_sector = l2.size("sector");
    layout.l2_sets = l2.range("sets", 1);
    layout.l2_ways = l2.range("ways", 1).lo;
    layout.slices = l2.range("slices", 1);
    layout.l2_keeps_stores = l2.range("write-allocate").lo != 0 && l2.range("write-back").lo != 0;
    layout.l2_latency = l2.range("latency");
    layout.slice_service = l2.range("service", 1).hi;
    layout.slice_service_lo = l2.range("service", 1).lo;
    layout.slice_entries = l2.range("mshr-entries", 1).lo;
    layout.slice_merges = l2.range("mshr-merges", 1).lo;
}

void read_link(const LayoutReader& link, MemoryLayout& layout) {
    layout.transit = link.range("latency");
    layout.link_service = link.range("service");
    layout.link_queue = link.range("queue", 1).lo;
}

void read_dram(const LayoutReader& dram, MemoryLayout& layout) {
    layout.row = dram.size("row");
    layout.channels = dram.range("channels", 1);
    layout.banks = dram.range("banks", 1);
    layout.channel_queue = dram.range("queue", 1);
    layout.dram_latency = dram.range("latency");
    layout.row_hit = dram.range("row-hit");
    layout.row_miss = dram.range("row-miss").hi;
    layout.refresh = dram.range("refresh-duration").hi;
    layout.refresh_interval = dram.range("refresh-interval").lo;
}

/// What the theorems assume of the values.
void check_layout(const KernelCase& kernel, const MemoryLayout& layout) {
    const auto expect = [&](bool holds, const char* what) {
        if (!holds) refuted(fmt::format("{}: the memory hierarchy: {}", kernel.id, what));
    };
    expect(models::fit_together(layout.line, layout.sector) &&
               models::fit_together(layout.l2_line, layout.l2_sector) &&
               layout.line <= layout.l2_line && layout.l2_line <= layout.row,
           "lines, sectors and rows do not fit together");
    expect(std::min(layout.l2_latency.lo, layout.dram_latency.lo) / 2 >= layout.transit.hi,
           "latencies of L2 and DRAM do not contain both transits on a link");
    expect(static_cast<std::uint64_t>(layout.l1_entries.lo) >= layout.line / layout.sector &&
               static_cast<std::uint64_t>(layout.slice_entries) >= layout.line / layout.l2_sector,
           "the sectors of an access do not fit into the MSHR entries");
    const auto sectors =
        static_cast<std::int64_t>(std::max<std::uint64_t>(1, layout.line / layout.l2_sector));
    expect(layout.refresh == 0 ||
               std::max(models::times(layout.row_hit.hi, sectors), layout.row_miss) <=
                   layout.refresh_interval - layout.refresh,
           "no transfer fits between two refreshes");
}

} // namespace

std::uint64_t MemoryLayout::l2_set(std::uint64_t address) const {
    const std::uint64_t number = address / l2_line;
    const auto all_slices = static_cast<std::uint64_t>(slices.lo);
    const std::uint64_t in_slice = number / all_slices % static_cast<std::uint64_t>(l2_sets.lo);
    return in_slice * all_slices + number % all_slices;
}

std::uint64_t MemoryLayout::channel(std::uint64_t address) const {
    const std::uint64_t slice = address / l2_line % static_cast<std::uint64_t>(slices.lo);
    return slice / static_cast<std::uint64_t>(slices.lo / channels.lo);
}

MemoryLayout read_memory_layout(const KernelCase& kernel) {
    MemoryLayout layout;
    read_l1({kernel, "l1"}, layout);
    read_l2({kernel, "l2"}, layout);
    read_link({kernel, "interconnect"}, layout);
    read_dram({kernel, "dram"}, layout);
    check_layout(kernel, layout);
    check_levels_behind_queue(kernel);
    layout.behind_queues = kernel.architecture.has_memory_queue();
    layout.to_hand_over = time_to_hand_over(kernel);
    return layout;
}

} // namespace warpbound::certification::verify
