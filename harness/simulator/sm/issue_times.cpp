#include "harness/simulator/sm/issue_times.hpp"

#include "harness/simulator/clock/component.hpp"

namespace warpbound::harness::simulator {

IssueTimes::IssueTimes(std::size_t warps) : ready_at_(warps, never), gates_(warps, Gates{}) {}

void IssueTimes::set(std::size_t warp, std::int64_t ready_at, const Gates& gates) {
    ready_at_[warp] = ready_at;
    gates_[warp] = gates;
}

} // namespace warpbound::harness::simulator
