#include "certification/verify/memory/behind_queue.hpp"

#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

models::Interval of_memory(const KernelCase& kernel, const char* memory, const char* name) {
    static const models::ValueGroup none;
    const models::ValueGroup* const found = kernel.architecture.memory(memory);
    return known_value(kernel, found == nullptr ? none : *found,
                       fmt::format("memories/{}", memory).c_str(), name);
}

} // namespace

std::int64_t time_to_hand_over(const KernelCase& kernel) {
    if (kernel.architecture.memory_queue.values.empty()) return 0;
    const auto& classes = kernel.architecture.classes;
    const auto global = classes.find(assembly::OpcodeClass::LoadGlobal);
    if (global == classes.end()) return 0;
    const std::int64_t first =
        known_value(kernel, global->second.values, "classes/load-global", "entry").lo;
    const auto local = classes.find(assembly::OpcodeClass::LoadLocal);
    if (local == classes.end() || local->second.values.find("entry") == nullptr) return first;
    return std::min(first,
                    known_value(kernel, local->second.values, "classes/load-local", "entry").lo);
}

void check_levels_behind_queue(const KernelCase& kernel) {
    const models::ValueGroup& queue = kernel.architecture.memory_queue;
    if (queue.values.empty()) return;
    const std::int64_t before = time_to_hand_over(kernel);
    const std::int64_t transit = of_memory(kernel, "interconnect", "latency").hi;
    const auto expect = [&](bool holds, const char* what) {
        if (!holds) refuted(kernel.id + ": behind the memory-queue: " + what);
    };
    expect(of_memory(kernel, "l1", "latency").lo > before, "a hit ends before the hand-over");
    for (const char* level : {"l2", "dram"})
        expect(of_memory(kernel, level, "latency").lo - before >= models::times(2, transit),
               "a latency does not contain both transits on a link");
    const std::int64_t places = known_value(kernel, queue, "memory-queue", "places").hi;
    const std::int64_t schedulers =
        known_value(kernel, kernel.architecture.schedulers, "schedulers", "count").hi;
    expect(of_memory(kernel, "l1", "queue").lo > models::times(places, schedulers),
           "the memory queues may hold all loads of the load queue");
}

} // namespace warpbound::certification::verify
