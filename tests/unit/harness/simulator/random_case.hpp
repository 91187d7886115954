#pragma once
/// \file
/// Random small programs with machines and launches to run them on.

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

namespace warpbound::harness::simulator::test {

/// Three blocks, the middle one optional, with barriers, guards and, where the machine needs them,
/// random control fields. All blocks of the launch are co-resident. The same seed gives the same
/// case.
struct Case {
    models::Architecture machine;
    TestProgram program;
    models::Launch launch;
};
Case random_case(std::uint64_t seed);
/// The same on a machine with instruction buffers, a cache, and operand collectors (C43 to C50).
Case random_pipeline_case(std::uint64_t seed);
/// A random case on a machine with read ports and a reuse cache, with instructions of up to three
/// operands (C60 to C62), and in some counters that see increments late (C85) and write ports
/// (C108).
Case random_ports_case(std::uint64_t seed);
/// One of the first and the last case on a machine with memory queues (C71 to C74), with many
/// memory instructions.
Case random_queue_case(std::uint64_t seed);
/// One of the first and the last two cases with values of forms, and instructions of these forms
/// (C89, C90).
Case random_forms_case(std::uint64_t seed);
/// The first with small instruction caches (C66 to C70).
Case random_instruction_cache_case(std::uint64_t seed);
/// One of the first two cases with many constant operands, on a machine with a small constant cache
/// (C51 to C53).
Case random_constant_case(std::uint64_t seed);
/// With caches of constant operands per scheduler (C81, C82).
Case random_operand_case(std::uint64_t seed);
/// A case on a machine with read ports; where it may have them, with write ports, one bank and
/// short latencies (C108).
Case random_writes_case(std::uint64_t seed);

/// A case on a machine with read ports; where it may have them, with reads of variable latency that
/// wait for them, one or two banks and short source reads (C111).
Case random_queued_reads_case(std::uint64_t seed);

} // namespace warpbound::harness::simulator::test
