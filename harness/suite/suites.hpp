#pragma once
/// \file
/// All benchmarks, the suites that they form, and their points generated for a machine.

#include "harness/suite/benchmark.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness {

const std::vector<Benchmark>& benchmarks();
/// Those of machines with encoded issue control whose control fields are stated; none of them is
/// among `benchmarks`.
const std::vector<Benchmark>& benchmarks_of_encoded_machines();
struct Suite {
    std::string name;
    std::string purpose;
    std::vector<std::string> benchmarks;
};
const std::vector<Suite>& suites();

/// All points of a benchmark as listings for a machine: on encoded machines with stall counts and
/// scoreboards assigned from the description, or as the benchmark states them. Refuses an unknown
/// name, listing similar ones, a machine for which the benchmark is not, and values that the
/// description lacks.
Result<std::vector<BenchmarkPoint>> points_of(std::string_view benchmark,
                                              const models::Architecture& architecture);
/// All points as PTX for a target; no description is needed. For blocks that wait for each other,
/// points whose launch has fewer registers than can be stated (`least_semaphore_registers`) are
/// left out; points without a register count state that number. Refuses an unknown name, a
/// benchmark with an operation that has no PTX, naming both, and one whose control fields are
/// stated: the assembler of PTX decides them.
Result<std::vector<BenchmarkPoint>> ptx_points_of(std::string_view benchmark,
                                                  assembly::Target target);

} // namespace warpbound::harness
