#pragma once
/// \file
/// One instruction of each opcode class, and the regions that benchmarks are built of.

#include "harness/suite/catalogue.hpp"

#include <array>
#include <span>
#include <string_view>

namespace warpbound::harness {

/// Switched-off instructions before and behind the operation of a delay benchmark.
inline constexpr std::int64_t padding = 8;

/// How a class is written: `{0}` is the destination, R2..R7 are sources that nothing writes.
struct Specimen {
    assembly::OpcodeClass opcode_class;
    std::string_view text;
    bool has_result;
    /// For operations on one register in turn: of two equal ones a compiler makes one. Each is one
    /// instruction of the class (ptxas 13.0); empty where a compiler drops or joins repetitions.
    std::array<std::string_view, 2> ptx{};
};

/// Of every class that the suite knows how to write.
std::span<const Specimen> specimens();
/// Requires: there is one of the class.
const Specimen& specimen_of(assembly::OpcodeClass opcode_class);
bool is_shared_access(assembly::OpcodeClass opcode_class);
/// Of global or local memory.
bool is_global_access(assembly::OpcodeClass opcode_class);

/// The instruction. `passes`: of an access. `turn`: how often the register was used before.
Operation specimen(const Specimen& of, int destination, std::int64_t passes = 1,
                   models::MemoryLevel level = models::MemoryLevel::Dram, std::size_t turn = 0);

/// Takes an issue slot and the interval between instructions and nothing more (C11); waits for
/// `source` like any instruction that reads it.
Operation switched_off(int source = 2);
void append_switched_off(std::vector<Operation>& operations, std::int64_t count);

/// Operations with so many switched-off instructions before and behind them that no port that the
/// clock reads use is still occupied.
Region alone(std::vector<Operation> operations);

/// "classes/float-add/latency"
std::string path_of(assembly::OpcodeClass opcode_class, std::string_view value);

Benchmark interlocked(Benchmark benchmark);
/// Whose samples are the clocks of all warps, on interlocked machines. `most_runs`: as `Benchmark`
/// has it.
Benchmark clocked(Benchmark benchmark, std::int64_t most_runs = 0);

} // namespace warpbound::harness
