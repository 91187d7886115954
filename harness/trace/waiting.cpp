#include "harness/trace/waiting.hpp"

#include <algorithm>

namespace warpbound::harness::trace {

using simulator::Stall;

std::string_view to_string(Stall stall) {
    switch (stall) {
    case Stall::Gap:
        return "gap";
    case Stall::Barrier:
        return "barrier";
    case Stall::Fetch:
        return "fetch";
    case Stall::Register:
        return "register";
    case Stall::Scoreboard:
        return "scoreboard";
    case Stall::Constant:
        return "constant";
    case Stall::Port:
        return "port";
    case Stall::Collector:
        return "collector";
    case Stall::WriteBuffer:
        return "write-buffer";
    case Stall::LoadQueue:
        return "load-queue";
    case Stall::NotChosen:
        break;
    }
    return "not-chosen";
}

WaitingCycles waiting_cycles(const simulator::Issued& issued, std::int64_t from) {
    WaitingCycles cycles{};
    std::int64_t at = std::max(from, issued.since);
    for (std::size_t stall = 0; stall < simulator::stall_count; ++stall) {
        const bool last = stall + 1 == simulator::stall_count;
        const std::int64_t until =
            last ? issued.cycle : std::min(issued.stalls.until[stall], issued.cycle);
        if (until <= at) continue;
        cycles[stall] = until - at;
        at = until;
    }
    return cycles;
}

std::optional<Stall> last_stall(const simulator::Issued& issued) {
    const WaitingCycles cycles = waiting_cycles(issued);
    for (std::size_t stall = simulator::stall_count; stall-- > 0;)
        if (cycles[stall] > 0) return static_cast<Stall>(stall);
    return std::nullopt;
}

} // namespace warpbound::harness::trace
