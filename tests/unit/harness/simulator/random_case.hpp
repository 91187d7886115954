#pragma once
/// \file
/// Random small programs with machines and launches to run them on.

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

namespace warpbound::harness::simulator::test {

/// Three blocks, the middle one passed over or not, with barriers, guards and, where the machine
/// wants them, made-up control fields; all blocks of the launch fit. The same seed gives the same
/// case.
struct Case {
    models::Architecture machine;
    TestProgram program;
    models::Launch launch;
};
Case random_case(std::uint64_t seed);
/// The same on a machine with instruction buffers, a cache, and operand collectors (C43 to C50).
Case random_pipeline_case(std::uint64_t seed);
/// One of the two on a machine with a small constant cache, many operands of which are constants
/// (C51 to C53).
Case random_constant_case(std::uint64_t seed);

} // namespace warpbound::harness::simulator::test
