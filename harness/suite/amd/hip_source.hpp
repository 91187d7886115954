#pragma once
/// \file
/// A microbenchmark as HIP C++.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"
#include "harness/suite/emission/benchmark.hpp"

#include <string>

namespace warpbound::harness {

/// The kernel that `emit_amd` makes, for a compiler: each operation is an instruction of AMD in an
/// `asm volatile` statement on variables, with the waits that it needs. hipcc compiles it, and so
/// does clang without headers (`-x hip -nogpuinc -nogpulib`). A compiler chooses the registers; it
/// may put copies between operations, so look at what it made. Refuses what `emit_amd` refuses,
/// and, naming them, accesses of several registers, blocks that wait for each other, and copies.
Result<std::string> hip_source(const BenchmarkPoint& point, assembly::Target target);

} // namespace warpbound::harness
