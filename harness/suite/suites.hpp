#pragma once
/// \file
/// All benchmarks, the suites that they form, and their points generated for a machine.

#include "harness/suite/emission/benchmark.hpp"

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
/// scoreboards assigned from the description, or as the benchmark states them. AMD's machines run
/// listings of sm_20: the VLIW chips all, the others those that only ask how many blocks are
/// resident, which no instruction set matters for. Refuses an unknown name, listing similar ones, a
/// machine for which the benchmark is not, and values that the description lacks.
Result<std::vector<BenchmarkPoint>> points_of(std::string_view benchmark,
                                              const models::Architecture& architecture);
/// All points as PTX for a target; no description is needed. For blocks that wait for each other,
/// points whose launch has fewer registers than can be stated (`least_semaphore_registers`) are
/// left out; points without a register count state that number. Refuses an unknown name, a
/// benchmark with an operation that has no PTX, naming both, and one whose control fields are
/// stated: the assembler of PTX decides them.
Result<std::vector<BenchmarkPoint>> ptx_points_of(std::string_view benchmark,
                                                  assembly::Target target);
/// All points as assembly for a target of AMD (`emit_amd`). Points whose blocks have more than 1024
/// work-items, with wavefronts as wide as the target's, are left out; of blocks that wait for each
/// other, those that `ptx_points_of` leaves out. Refuses what `emit_amd` does, and benchmarks that
/// state control fields.
Result<std::vector<BenchmarkPoint>> amd_points_of(std::string_view benchmark,
                                                  assembly::Target target);
/// `ptx_points_of`, or of AMD `amd_points_of`.
Result<std::vector<BenchmarkPoint>> card_points_of(std::string_view benchmark,
                                                   assembly::Target target);

} // namespace warpbound::harness
