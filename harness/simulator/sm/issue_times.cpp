#include "harness/simulator/sm/issue_times.hpp"

#include "harness/simulator/clock/component.hpp"

namespace warpbound::harness::simulator {

IssueTimes::IssueTimes(std::size_t warps) : ready_at_(warps, never), gates_(warps) {}

void IssueTimes::set_gates(std::size_t warp, std::initializer_list<Gate> gates) {
    auto& kept = gates_[warp];
    std::size_t used = 0;
    for (const Gate gate : gates)
        if (gate != nullptr) kept[used++] = gate;
    if (used < most_gates) kept[used] = nullptr;
}

} // namespace warpbound::harness::simulator
