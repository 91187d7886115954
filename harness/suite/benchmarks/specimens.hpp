#pragma once
/// \file
/// One instruction of each opcode class, and the regions from which benchmarks are built.

#include "harness/suite/benchmarks/catalogue.hpp"

#include <array>
#include <span>
#include <string_view>

namespace warpbound::harness {

/// Number of predicated-off instructions before and after the operation of a delay benchmark.
inline constexpr std::int64_t padding = 8;

/// The instruction text of a class: `{0}` is the destination, R2..R7 are sources that nothing
/// writes.
struct Specimen {
    assembly::OpcodeClass opcode_class;
    std::string_view text;
    bool has_result;
    /// Alternatives for repeated operations on one register, because a compiler merges equal ones.
    /// Each is one instruction of the class (ptxas 13.0); empty if a compiler drops or merges
    /// repetitions.
    std::array<std::string_view, 2> ptx{};
    /// The same where those are empty, for assemblers only (`Operation::needs_assembler`).
    std::string_view assembled{};
};

/// One for every class that the suite can generate.
std::span<const Specimen> specimens();
/// Requires: the class has a specimen.
const Specimen& specimen_of(assembly::OpcodeClass opcode_class);
bool is_shared_access(assembly::OpcodeClass opcode_class);
/// Whether the class accesses global or local memory.
bool is_global_access(assembly::OpcodeClass opcode_class);

/// The operation of a specimen. `passes`: transactions of an access. `use`: how often the register
/// was used before.
Operation specimen(const Specimen& of, int destination, std::int64_t passes = 1,
                   models::MemoryLevel level = models::MemoryLevel::Dram, std::size_t use = 0);

/// A predicated-off instruction: occupies only an issue slot and the same-warp interval (C11);
/// waits for `source` like any instruction that reads it.
Operation predicated_off(int source = 2);
void append_predicated_off(std::vector<Operation>& operations, std::int64_t count);

/// Operations with enough predicated-off instructions before and after them that no port used by
/// the clock reads is still occupied.
Region isolated(std::vector<Operation> operations);

/// "classes/float-add/latency"
std::string path_of(assembly::OpcodeClass opcode_class, std::string_view value);

Benchmark interlocked(Benchmark benchmark);
/// The benchmark with the clocks of all warps as samples, on interlocked machines. `most_runs`: as
/// in `Benchmark`.
Benchmark clocked(Benchmark benchmark, std::int64_t most_runs = 0);

} // namespace warpbound::harness
