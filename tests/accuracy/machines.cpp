#include "tests/accuracy/machines.hpp"

#include "models/architecture/costless_groups.hpp"
#include "models/architecture/value_path.hpp"

#include <array>
#include <span>
#include <stdexcept>

namespace warpbound::tests {
namespace {

[[noreturn]] void stop_at_machine(const std::string& what) {
    throw std::runtime_error{what};
}

/// A value of a description that is stated for the comparison.
struct StatedValue {
    const char* path;
    std::int64_t number;
};

void state(models::Architecture& machine, std::span<const StatedValue> values) {
    for (const auto& [path, number] : values)
        if (const auto set = models::override_value(machine, path, number); !set)
            stop_at_machine(to_string(set.error()));
}

} // namespace

models::Architecture exact_machine(const std::string& name) {
    auto loaded = models::load_architecture(name);
    if (!loaded) stop_at_machine(to_string(loaded.error()));
    models::Architecture machine = std::move(loaded).value();
    // The comparison is of policies and memories; times are those of runs that begin warm.
    for (const char* const group : {"fetch", "register-file"})
        if (const auto left_out = models::make_costless(machine, group); !left_out)
            stop_at_machine(to_string(left_out.error()));
    for (auto& [path, group] : models::value_groups(machine))
        for (auto& value : group->values)
            if (value.interval) {
                const auto& interval = *value.interval;
                const std::int64_t number =
                    interval.typical.value_or((interval.lo + interval.hi + 1) / 2);
                value.interval = models::Interval{number, number, number};
            }
    state(machine, std::to_array<StatedValue>({{"geometry/multiprocessors", 1},
                                               {"geometry/core-clock", 1'000'000},
                                               {"memories/dram/bandwidth", 1'000'000'000'000},
                                               {"blocks/start", 0},
                                               {"blocks/replacement", 0}}));
    return machine;
}

models::Architecture cached_machine(const std::string& name) {
    models::Architecture machine = exact_machine(name);
    // Ours: one line access, transaction or slice access a cycle or two, and a short way to the L2.
    state(machine, std::to_array<StatedValue>({{"classes/load-global/pass-cost", 2},
                                               {"classes/store-global/pass-cost", 2},
                                               {"memories/l1/line", 128},
                                               {"memories/l1/service", 1},
                                               {"memories/l1/queue", 16},
                                               {"memories/l1/write-evict", 1},
                                               {"memories/l2/line", 128},
                                               {"memories/l2/sector", 32},
                                               {"memories/l2/slices", 1},
                                               {"memories/l2/service", 2},
                                               {"memories/l2/mshr-entries", 256},
                                               {"memories/l2/mshr-merges", 4},
                                               {"memories/l2/write-allocate", 1},
                                               {"memories/l2/write-back", 1},
                                               {"memories/interconnect/latency", 20},
                                               {"memories/interconnect/service", 2},
                                               {"memories/interconnect/queue", 64},
                                               {"memories/dram/channels", 1},
                                               {"memories/dram/banks", 16},
                                               {"memories/dram/row", 2048},
                                               {"memories/dram/queue", 64},
                                               {"memories/dram/refresh-interval", 1'000'000},
                                               {"memories/dram/refresh-duration", 0}}));
    if (name == "fermi-gtx470")
        // Latencies of GF106; caches of GPGPU-Sim's GTX 480, the L2 for one of 12 slices; DRAM: a
        // 14th of 133.9 GB/s at 1.215 GHz are 8 bytes a cycle.
        state(machine, std::to_array<StatedValue>({{"memories/l1/latency", 45},
                                                   {"memories/l1/sector", 128},
                                                   {"memories/l1/sets", 32},
                                                   {"memories/l1/ways", 4},
                                                   {"memories/l1/mshr-entries", 64},
                                                   {"memories/l1/mshr-merges", 8},
                                                   {"memories/l2/latency", 310},
                                                   {"memories/l2/sets", 64},
                                                   {"memories/l2/ways", 8},
                                                   {"memories/dram/row-hit", 4},
                                                   {"memories/dram/row-miss", 40},
                                                   {"memories/dram/bandwidth", 8'000'000}}));
    else
        // L1 of Accel-Sim's RTX 2060; a 40th of T4's L2 rounded up; DRAM: a 40th of 320 GB/s
        // at 1.59 GHz are 5 bytes a cycle.
        state(machine, std::to_array<StatedValue>({{"memories/l1/sector", 32},
                                                   {"memories/l1/sets", 4},
                                                   {"memories/l1/ways", 64},
                                                   {"memories/l1/mshr-entries", 256},
                                                   {"memories/l1/mshr-merges", 32},
                                                   {"memories/l2/sets", 64},
                                                   {"memories/l2/ways", 16},
                                                   {"memories/dram/row-hit", 6},
                                                   {"memories/dram/row-miss", 78},
                                                   {"memories/dram/bandwidth", 5'333'333}}));
    return machine;
}

} // namespace warpbound::tests
