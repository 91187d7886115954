#include "harness/suite/benchmarks/accesses.hpp"
#include "harness/suite/benchmarks/specimens.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

using models::AddressPattern;
using models::MemoryLevel;

Benchmark clocks_of_all(Benchmark benchmark) {
    benchmark.quantity = Quantity::Clocks;
    return benchmark;
}

void add_shared(std::vector<Benchmark>& all) {
    for (const bool load : {true, false})
        all.push_back({load ? "shared-load-stride" : "shared-store-stride",
                       fmt::format("How does the word stride of a shared {} change its time?",
                                   load ? "load" : "store"),
                       "grows with gcd(stride, 32)",
                       "V14 Tables 2 to 4, Fig. 22",
                       {{"stride", one_to(128)}},
                       [load](const Axes& axes, const models::Architecture&) {
                           const std::int64_t stride = axis_value(axes, "stride", 1);
                           Region region;
                           // The next instruction waits for the value, or for the port.
                           if (load)
                               region.timed = {
                                   shared_load(first_register, stride),
                                   arithmetic_operation("add", first_register + 1, first_register)};
                           else
                               region.timed = {shared_store(stride), shared_store(stride)};
                           return region;
                       }});
}

void add_shared_atomic(std::vector<Benchmark>& all) {
    all.push_back({"shared-atomic",
                   "How long does a shared atomic take if n lanes have the same address?",
                   "latency + (lanes on one address - 1) x pass cost",
                   "J19 Table 4.2; C22",
                   {{"lanes", {1, 2, 4, 8, 16, 32}}},
                   [](const Axes& axes, const models::Architecture&) {
                       Region region;
                       region.timed = {
                           shared_access({fmt::format("ATOMS.ADD R{}, [R4], R6", first_register),
                                          assembly::OpcodeClass::AtomicShared,
                                          first_register,
                                          {4, 6}},
                                         axis_value(axes, "lanes", 1)),
                           arithmetic_operation("add", first_register + 1, first_register)};
                       return listing_only(std::move(region));
                   }});
}

void add_global(std::vector<Benchmark>& all) {
    all.push_back({"global-transactions",
                   "How long does a global load take whose lanes access n lines?",
                   "latency + (lines - 1) x pass cost",
                   "G17 4.3",
                   {{"lines", one_to(32)}},
                   [](const Axes& axes, const models::Architecture& architecture) {
                       Region region;
                       region.timed = {
                           global_load(architecture, first_register, axis_value(axes, "lines", 1)),
                           arithmetic_operation("add", first_register + 1, first_register)};
                       return region;
                   }});
    all.push_back(clocks_of_all(
        {"store-warps",
         "How long do four stores of each of so many warps take?",
         "the port's initiation interval each until the write buffer is full, then its drain time",
         "V14 Fig. 25, 63, 9.2",
         {{"warps", one_to(32)}},
         [](const Axes&, const models::Architecture& architecture) {
             Region region;
             region.timed.assign(4, global_store(architecture, 1));
             return region;
         }}));
    constexpr int loads = 16;
    constexpr std::int64_t line_bytes = 128;
    Benchmark bandwidth =
        clocks_of_all({"bandwidth",
                       "How many bytes per cycle do n warps load at once?",
                       "warps x 16 x 128 bytes in the time; grows until a unit or DRAM is full",
                       "G23 eq. 3.7; G17 4.3",
                       {{"warps", {1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32}}},
                       [](const Axes&, const models::Architecture& architecture) {
                           return loads_and_sum(architecture, loads, 1);
                       }});
    bandwidth.picture = Picture::Bandwidth;
    bandwidth.bytes_of_warp = loads * line_bytes;
    all.push_back(std::move(bandwidth));
    Benchmark atomic{"global-atomic",
                     "How long does a global atomic take if n lanes have the same address?",
                     "latency + (lanes on one address - 1) x pass cost",
                     "J19 Table 4.2",
                     {{"lanes", {1, 2, 4, 8, 16, 32}}},
                     [](const Axes& axes, const models::Architecture&) {
                         return isolated({specimen(specimen_of(assembly::OpcodeClass::AtomicGlobal),
                                                   first_register, axis_value(axes, "lanes", 1)),
                                          predicated_off(first_register)});
                     }};
    all.push_back(interlocked(std::move(atomic)));
}

/// A load through the caches, without a stated level.
Operation through_caches(Operation load, const AddressPattern& pattern) {
    return patterned(std::move(load), pattern, MemoryLevel::Any);
}

void add_caches(std::vector<Benchmark>& all) {
    Benchmark chase{
        "pointer-chase",
        "How long does a load take in a pointer chase, twice over a footprint at a stride?",
        "plateaus of the L1, the L2 and DRAM; the first pass is served by DRAM",
        "J18 3.2",
        {{"footprint", {4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288}},
         {"stride", {128, 256, 1024}}},
        [](const Axes& axes, const models::Architecture& architecture) {
            const std::int64_t stride = axis_value(axes, "stride", 128);
            const std::int64_t footprint = axis_value(axes, "footprint", 4096);
            AddressPattern pattern;
            pattern.iteration_stride = static_cast<std::uint64_t>(stride);
            pattern.footprint = static_cast<std::uint64_t>(footprint);
            Operation load = global_load(architecture, first_register, 1);
            load.ptx = fmt::format("ld.global.u64 %walk_by_{0}, [%walk_by_{0}];", stride);
            Operation add = arithmetic_operation("add", first_register + 1, first_register);
            // It reads the low half of the loaded address.
            add.ptx = fmt::format("cvt.u32.u64 %part, %walk_by_{}; "
                                  "add.rn.f32 %f9, %f9, %part;",
                                  stride);
            Region region;
            region.timed = {through_caches(std::move(load), pattern), std::move(add)};
            region.trips = 2 * footprint / stride;
            return region;
        }};
    chase.most_runs = 3;
    all.push_back(std::move(chase));
    all.push_back(clocks_of_all(
        {"parallel-misses",
         "How long do n loads of lines take that were never loaded before?",
         "one latency until the entries for misses are used up, then one more per batch of entries",
         "G23 4; C25",
         {{"loads", one_to(24)}, {"warps", {1, 4, 16}}},
         [](const Axes& axes, const models::Architecture& architecture) {
             const auto loads = static_cast<int>(axis_value(axes, "loads", 1));
             return loads_and_sum(architecture, loads, 32, [](int number) {
                 AddressPattern pattern;
                 pattern.base = static_cast<std::uint64_t>(number) * 4096;
                 pattern.warp_stride = std::uint64_t{1} << 20U;
                 return pattern;
             });
         }}));
}

} // namespace

std::vector<Benchmark> memory_benchmarks() {
    std::vector<Benchmark> all;
    add_shared(all);
    add_shared_atomic(all);
    add_global(all);
    add_caches(all);
    return all;
}

} // namespace warpbound::harness
