#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "harness/suite/benchmarks/specimens.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

Operation store(std::int64_t passes) {
    return specimen(specimen_of(OpcodeClass::StoreGlobal), first_register, passes);
}

std::vector<Operation> stores(std::int64_t count) {
    return std::vector<Operation>(static_cast<std::size_t>(count), store(many_passes));
}

} // namespace

std::vector<Benchmark> store_benchmarks() {
    std::vector<Benchmark> all;
    const std::vector<std::string> both{"write-buffer/entries", "write-buffer/drain"};
    all.push_back(interlocked(
        {"store-plug",
         "How many stores of a warp enter the write buffer after one of many transactions?",
         "the port's initiation interval each, until the buffer is full: then until the first one "
         "has drained",
         "C8, C15",
         {{"n", one_to(most_plugged)}},
         [](const Axes& axes, const models::Architecture&) {
             std::vector<Operation> blocked{store(many_passes)};
             for (std::int64_t i = 0; i < axis_value(axes, "n", 1); ++i)
                 blocked.push_back(store(1));
             return isolated(std::move(blocked));
         },
         both}));
    all.push_back(
        clocked({"store-burst",
                 "How many stores does an SM accept at once, and how fast are further ones issued?",
                 "entries stores at once, each further one when an entry of as many "
                 "transactions has drained",
                 "V14 Fig. 25, 9.2 (left open there)",
                 {{"warps", {contending_warps}}},
                 [](const Axes&, const models::Architecture&) {
                     Region region;
                     region.before = stores(1);
                     return region;
                 },
                 both}));
    all.push_back(
        interlocked({"store-train",
                     "How long do n stores of one warp take that have many transactions each?",
                     "all stores but those that the buffer holds must have drained",
                     "C8, C15; V14 9.2 (left open there)",
                     {{"n", {train_counts.begin(), train_counts.end()}}},
                     [](const Axes& axes, const models::Architecture&) {
                         return isolated(stores(axis_value(axes, "n", 1)));
                     },
                     {"write-buffer/entries"}}));
    all.push_back(interlocked({"store-train-next",
                               "How long does a store wait that finds the write buffer full?",
                               "transactions x drain, if that is longer than the port occupancy",
                               "C8, C15; V14 9.2 (left open there)",
                               {},
                               [](const Axes&, const models::Architecture&) {
                                   Region region;
                                   region.before = stores(train_counts.back());
                                   region.timed = stores(1);
                                   return region;
                               },
                               {"write-buffer/drain"}}));
    return all;
}

} // namespace warpbound::harness
