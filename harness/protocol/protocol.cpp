#include "harness/protocol/protocol.hpp"

#include "models/statistics/resampling.hpp"

#include <fmt/format.h>

#include <string>

namespace warpbound::harness {

std::string to_string(const Protocol& protocol) {
    return fmt::format("warm-up {}, draw {}, seed {}",
                       protocol.warm_up ? std::to_string(*protocol.warm_up) : "auto",
                       to_string(protocol.draw), protocol.seed);
}

std::string_view to_string(Ending ending) {
    switch (ending) {
    case Ending::Enough:
        return "enough";
    case Ending::AllRuns:
        return "all-runs";
    case Ending::TimeCap:
        return "time-cap";
    case Ending::Interrupted:
        break;
    }
    return "interrupted";
}

std::string_view to_string(Converged converged) {
    switch (converged) {
    case Converged::NotTested:
        return "-";
    case Converged::No:
        return "no";
    case Converged::Yes:
        break;
    }
    return "yes";
}

std::uint64_t seed_of_run(std::uint64_t seed, std::int64_t run) {
    return models::mix(models::mix(seed) ^ static_cast<std::uint64_t>(run));
}

} // namespace warpbound::harness
