#include "harness/suite/benchmarks/cache_benchmarks.hpp"

#include "harness/suite/benchmarks/specimens.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;
using models::AddressPattern;
using models::MemoryLevel;

/// A load of one address by all lanes. It depends on the previous load.
Operation chased(std::int64_t address) {
    Operation load = specimen(specimen_of(OpcodeClass::LoadGlobal), first_register);
    AddressPattern pattern;
    pattern.base = static_cast<std::uint64_t>(address);
    return patterned(std::move(load), pattern, MemoryLevel::Any);
}

/// Walks over `lines` lines with dependent loads, then times a load of `probe`.
Region walk(std::int64_t lines, std::int64_t stride, std::int64_t probe) {
    Region region = isolated({chased(probe), predicated_off(first_register)});
    for (std::int64_t i = 0; i < lines; ++i)
        region.before.push_back(chased(i * stride));
    if (lines > 0) region.before.push_back(predicated_off(first_register));
    return region;
}

/// Walks over `bytes` bytes, then times the operations `timed`, which access lines of the walk.
Region after_walk(std::int64_t bytes, std::vector<Operation> timed) {
    Region region = isolated(std::move(timed));
    for (std::int64_t address = 0; address < bytes; address += miss_stride)
        region.before.push_back(chased(address));
    region.before.push_back(predicated_off(first_register));
    return region;
}

/// Loads whose results are not used, then a load of the last line of the walk.
std::vector<Operation> misses_and_hit(std::int64_t walked, std::int64_t misses) {
    std::vector<Operation> timed;
    for (std::int64_t i = 0; i < misses; ++i) {
        Operation load = chased(i * miss_stride);
        const std::string name = fmt::format("R{},", first_register);
        load.text.replace(load.text.find(name), name.size(), "RZ,");
        load.destination = -1;
        timed.push_back(std::move(load));
    }
    timed.push_back(chased(walked - miss_stride));
    timed.push_back(predicated_off(first_register));
    return timed;
}

Benchmark few_runs(Benchmark benchmark) {
    benchmark.most_runs = runs_of_a_level;
    return interlocked(std::move(benchmark));
}

} // namespace

Operation patterned(Operation operation, const AddressPattern& pattern, MemoryLevel level) {
    operation.fact.emplace();
    operation.fact->pattern = pattern;
    operation.fact->level = level;
    return operation;
}

std::vector<std::int64_t> cache_strides() {
    std::vector<std::int64_t> strides;
    for (std::int64_t power = 128; power <= std::int64_t{1} << 20U; power *= 2)
        for (const std::int64_t factor : {1, 3, 5})
            strides.push_back(factor * power);
    return strides;
}

std::vector<Benchmark> cache_benchmarks() {
    std::vector<Benchmark> all;
    // These are the reference for all others, so the number of runs is not limited.
    all.push_back(interlocked({"cache-levels",
                               "How long does a load take of a line that was loaded before, and of "
                               "one that was not?",
                               "the latency of the L1, and that of DRAM",
                               "C24, C25",
                               {{"lines", {0, 1}}},
                               [](const Axes& axes, const models::Architecture&) {
                                   return walk(axis_value(axes, "lines", 0), same_set_stride, 0);
                               },
                               {"memories/l1/latency"}}));
    std::vector<std::int64_t> lines = one_to(most_ways + 1);
    lines.erase(lines.begin()); // A single line always hits.
    all.push_back(few_runs(
        {"cache-ways",
         "Of how many lines that map to one set is the first one still in the L1, or the L2?",
         "the L1's latency up to its ways, then the L2's up to its ways, then that of DRAM",
         "C24, C25, C27",
         {{"lines", std::move(lines)}},
         [](const Axes& axes, const models::Architecture&) {
             return walk(axis_value(axes, "lines", 0), same_set_stride, 0);
         },
         {"memories/l1/ways", "memories/l2/ways", "memories/l2/latency"}}));
    all.push_back(
        few_runs({"cache-sets",
                  "How far apart are lines that map to one set?",
                  "the smallest stride at which few lines more than there are ways evict the first "
                  "one is the size over the ways",
                  "C24, C27; J18 3.2",
                  {{"stride", cache_strides()}, {"lines", {line_tries.begin(), line_tries.end()}}},
                  [](const Axes& axes, const models::Architecture&) {
                      return walk(axis_value(axes, "lines", 0), axis_value(axes, "stride", 0), 0);
                  },
                  {"memories/l1/size", "memories/l1/sets", "memories/l2/size"}}));
    all.push_back(few_runs({"cache-sector",
                            "How many bytes does a miss fetch?",
                            "the L1's latency up to its sector, then the L2's up to its sector",
                            "C24, C25",
                            {{"offset", {sector_offsets.begin(), sector_offsets.end()}}},
                            [](const Axes& axes, const models::Architecture&) {
                                return walk(1, 0, axis_value(axes, "offset", 0));
                            },
                            {"memories/l1/sector", "memories/l2/sector"}}));
    Benchmark reload{"cache-reload",
                     "Does the L2 serve a line of a walk over so many bytes?",
                     "the L2's latency where the L1 is smaller than the walk and the L2 is not",
                     "C24, C27",
                     {{"walk", {reload_walks.begin(), reload_walks.end()}},
                      {"line", {reload_lines.begin(), reload_lines.end()}}},
                     [](const Axes& axes, const models::Architecture&) {
                         return after_walk(axis_value(axes, "walk", 0),
                                           {chased(axis_value(axes, "line", 1) * miss_stride),
                                            predicated_off(first_register)});
                     },
                     {"memories/l1/mshr-entries"}};
    reload.most_runs = 5 * runs_of_a_level;
    all.push_back(interlocked(std::move(reload)));
    Benchmark misses{
        "cache-misses",
        "After how many misses of the L1 does a hit wait until the first miss returns?",
        "one more than there are entries for misses",
        "G23 4; C25",
        {{"walk", {reload_walks.begin(), reload_walks.end()}}, {"loads", one_to(most_misses)}},
        [](const Axes& axes, const models::Architecture&) {
            const std::int64_t walk = axis_value(axes, "walk", 0);
            return after_walk(walk, misses_and_hit(walk, axis_value(axes, "loads", 1)));
        },
        {"memories/l1/mshr-entries"}};
    misses.most_runs = runs_of_a_level / 2;
    all.push_back(interlocked(std::move(misses)));
    all.push_back(interlocked(
        {"coalescing",
         "How does the distance of the lanes of a load change its time?",
         "one pass for each line of the L1 that the lanes touch: grows up to the line size",
         "C22; V14 5.4",
         {{"distance", {lane_distances.begin(), lane_distances.end()}}},
         [](const Axes& axes, const models::Architecture&) {
             AddressPattern pattern;
             pattern.thread_stride = static_cast<std::uint64_t>(axis_value(axes, "distance", 0));
             return isolated(
                 {patterned(specimen(specimen_of(OpcodeClass::LoadGlobal), first_register), pattern,
                            MemoryLevel::L1),
                  predicated_off(first_register)});
         },
         {"memories/l1/line"}}));
    return all;
}

} // namespace warpbound::harness
