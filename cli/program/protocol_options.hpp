#pragma once
/// \file
/// Options of `measure` that state its protocol: how many runs, from which seed, until when.

#include "assembly/support/result.hpp"
#include "harness/protocol/protocol.hpp"

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace warpbound::cli {

/// --repetitions, --warm-up, --stop, --time-cap, --seed and --draw.
struct ProtocolOptions {
    std::int64_t repetitions = 500;
    std::string warm_up = "10";
    std::string stop = "fixed";
    double time_cap = 0;
    std::uint64_t seed = 1;
    std::string draw = "uniform";

    void add_to(CLI::App& command);
    [[nodiscard]] Result<harness::Protocol> read() const;
};

} // namespace warpbound::cli
