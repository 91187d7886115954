#pragma once
/// \file
/// A microbenchmark: a question with axes, and the code that answers it at one point.

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/flow_facts.hpp"
#include "models/launch.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

/// One point of a benchmark's axes, ready to run.
struct BenchmarkPoint {
    std::string name;      ///< "dependent-add/n=5/warps=1": benchmark name and axis values.
    std::string benchmark; ///< "dependent-add"
    std::vector<std::pair<std::string, std::int64_t>> axes;
    std::string text; ///< The listing, in the bare form.
    models::FlowFacts facts;
    models::Launch launch;
};

/// A kept microbenchmark.
struct Benchmark {
    std::string name;
    std::string question; ///< What it answers, one sentence.
    std::string relation; ///< Expected relation, e.g. "time = 24 + 6 n".
    std::string source;   ///< "V14 Table 19"
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes;
};

const std::vector<Benchmark>& benchmarks();
struct Suite {
    std::string name;
    std::string purpose;
    std::vector<std::string> benchmarks;
};
const std::vector<Suite>& suites();

/// All points of a benchmark on a machine: on encoded machines with stall counts and scoreboards
/// assigned from the description. Refuses an unknown name with the names that there are, and values
/// that the description lacks.
Result<std::vector<BenchmarkPoint>> points_of(std::string_view benchmark,
                                              const models::Architecture& architecture);

} // namespace warpbound::harness
