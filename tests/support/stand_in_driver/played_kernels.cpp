#include "tests/support/stand_in_driver/played_kernels.hpp"

#include "harness/ptx_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace warpbound::tests {

namespace {

using harness::WarpRecord;
using harness::cuda::Address;
using harness::cuda::FunctionTag;
using harness::cuda::Status;

std::int64_t lines_between(const std::string& text, const char* from, const char* to) {
    const auto begin = text.find(from);
    const auto end = text.find(to);
    if (begin == std::string::npos || end == std::string::npos) return 0;
    std::int64_t lines = -1; // One of the two lines is counted, and those between.
    for (auto at = text.find('\n', begin); at < end; at = text.find('\n', at + 1))
        ++lines;
    return lines;
}

/// Iterations of a loop; 1: none.
std::int64_t trips_of_loop(const std::string& text) {
    constexpr const char* counter = "mov.u32 %left, ";
    const auto at = text.find(counter);
    return at == std::string::npos ? 1 : std::stoll(text.substr(at + std::strlen(counter)));
}

/// The lines of AMD's assembly between the clock reads.
std::string region_of_assembly(const std::string& text) {
    const char* const clock =
        text.find("s_memtime") != std::string::npos ? "s_memtime" : "HW_REG_SHADER_CYCLES";
    const auto first = text.find(clock);
    const auto last = text.rfind(clock);
    return first == last ? std::string{} : text.substr(first, last - first);
}

/// What is known of AMD's assembly: vector instructions, loop, pointer chase.
void read_assembly(const std::string& text, FunctionTag& function) {
    if (function.kind != FunctionTag::Kind::Region) return;
    const std::string region = region_of_assembly(text);
    for (const char* kind : {"\n  v_", "\n  ds_", "\n  global_", "\n  s_barrier"})
        for (auto at = region.find(kind); at != std::string::npos; at = region.find(kind, at + 1))
            ++function.instructions;
    constexpr const char* counter = "s_mov_b32 s28, ";
    if (const auto at = text.find(counter); at != std::string::npos)
        function.iterations = std::stoll(text.substr(at + std::strlen(counter)));
    const bool chases = region.find("global_load_dwordx2") != std::string::npos;
    if (chases && function.iterations > 1) function.trips = function.iterations;
}

bool is_walk(const std::string& text) {
    return text.find("%walk_by_") != std::string::npos;
}

void run_clock_rate(void** arguments) {
    Address record = 0;
    std::uint64_t window = 0;
    std::memcpy(&record, arguments[0], sizeof(record));
    std::memcpy(&window, arguments[1], sizeof(window));
    Machine& at = machine();
    const auto first = static_cast<std::uint64_t>(at.cycles);
    const std::uint64_t begin = at.timer(at.nanoseconds);
    at.pass(static_cast<double>(window) * at.timer_period);
    if (at.script.no_rate_at > 0 && at.launches == at.script.no_rate_at) return;
    const std::uint64_t values[4] = {first, static_cast<std::uint64_t>(at.cycles), begin,
                                     at.timer(at.nanoseconds)};
    std::memcpy(reinterpret_cast<void*>(record), values, sizeof(values));
}

bool is_allocated(Address address) {
    const auto& memory = machine().memory;
    auto next = memory.upper_bound(address);
    if (next == memory.begin()) return false;
    --next;
    return address + sizeof(Address) <= next->first + next->second.bytes;
}

/// The number of addresses that a walk from there visits; empty if it leaves the memory.
std::optional<std::int64_t> stops_of(Address at, std::int64_t trips) {
    std::set<Address> seen;
    for (std::int64_t trip = 0; trip < trips; ++trip) {
        if (!is_allocated(at)) return std::nullopt;
        seen.insert(at);
        std::memcpy(&at, reinterpret_cast<const void*>(at), sizeof(at));
    }
    return static_cast<std::int64_t>(seen.size());
}

void run_region(const FunctionTag& function, unsigned blocks, unsigned threads, void** arguments) {
    Address records = 0;
    std::memcpy(&records, arguments[0], sizeof(records));
    Machine& at = machine();
    const auto& script = at.script;
    const std::int64_t warps = blocks * ((std::int64_t{threads} + at.lanes - 1) / at.lanes);
    at.pass(1000.0);
    std::int64_t cycles = 24 + 6 * function.instructions * function.iterations;
    if (function.trips > 0) {
        Address memory = 0;
        std::memcpy(&memory, arguments[3], sizeof(memory));
        const auto stops = stops_of(memory, function.trips);
        if (!stops) at.sticky = Status::IllegalAddress;
        cycles = 100 * stops.value_or(0); // All warps have the walk of warp 0.
    }
    for (std::int64_t warp = 0; warp < warps; ++warp) {
        auto* const destination =
            reinterpret_cast<char*>(records) + warp * std::int64_t{sizeof(WarpRecord)};
        // The address of a walk is stored in the warp's record before its first clock read.
        if (function.trips > 0) std::memcpy(destination, arguments[3], sizeof(Address));
        if (at.launches == script.no_record_at && warp == warps - 1) break;
        WarpRecord record;
        record.first_clock =
            static_cast<std::uint64_t>(at.cycles) + static_cast<std::uint64_t>(2 * warp);
        // Some runs are slower, as on real devices.
        const std::int64_t region = cycles + (at.launches % 5 == 0 ? 4 : 0);
        record.last_clock = record.first_clock + static_cast<std::uint64_t>(region);
        if (at.launches == script.clock_back_at) record.last_clock = record.first_clock - 7;
        if (at.launches == script.clock_jump_at) record.last_clock += std::uint64_t{1} << 40U;
        record.nanoseconds_before = at.timer(at.nanoseconds);
        record.nanoseconds_after = at.timer(at.nanoseconds + 1024);
        std::memcpy(destination, &record, sizeof(record));
    }
    at.pass(2000.0);
}

// The resources of an SM of the simulated card, which is not a real one: registers of 32 bits,
// shared memory in bytes.
constexpr std::int64_t most_warps = 48;
constexpr std::int64_t most_blocks = 16;
constexpr std::int64_t register_file = 65536;
constexpr std::int64_t register_granularity = 256; // Per warp.
constexpr std::int64_t register_partitions = 4;
constexpr std::int64_t shared_memory = 102400;
constexpr std::int64_t shared_granularity = 128;
constexpr std::int64_t shared_reserved = 1024; // Per block.

std::int64_t round_up(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / unit * unit;
}

/// Blocks that fit on an SM.
std::int64_t resident_blocks(std::int64_t warps, std::int64_t registers, std::int64_t shared) {
    std::int64_t blocks = 0;
    while (blocks < most_blocks && (blocks + 1) * warps <= most_warps &&
           (blocks + 1) * round_up(shared + shared_reserved, shared_granularity) <= shared_memory &&
           round_up((blocks + 1) * warps, register_partitions) *
                   round_up(32 * registers, register_granularity) <=
               register_file)
        ++blocks;
    return blocks;
}

/// Blocks are assigned to the SMs round-robin, and to each SM as others leave; each SM has its own
/// clock.
void run_semaphore(const FunctionTag& function, unsigned blocks, unsigned threads,
                   std::int64_t shared, void** arguments) {
    Address records = 0;
    std::memcpy(&records, arguments[0], sizeof(records));
    Address counter = 0;
    std::memcpy(&counter, arguments[3], sizeof(counter));
    std::uint32_t counted = 0; // The count of a previous launch, if it was not cleared.
    std::memcpy(&counted, reinterpret_cast<const void*>(counter), sizeof(counted));
    Machine& at = machine();
    const std::int64_t warps = (std::int64_t{threads} + at.lanes - 1) / at.lanes;
    const std::int64_t slots = resident_blocks(warps, function.registers, shared);
    const bool all_counted = counted >= blocks || blocks <= multiprocessors * slots;
    const std::int64_t life = all_counted ? 900 : harness::semaphore_time_out + 40;
    for (std::int64_t warp = 0; warp < std::int64_t{blocks} * warps; ++warp) {
        const std::int64_t block = warp / warps;
        const std::int64_t of_sm = block / multiprocessors;
        WarpRecord record;
        record.multiprocessor = static_cast<std::uint64_t>(block % multiprocessors);
        const bool late = at.launches == at.script.late_block_at && of_sm == slots - 1;
        const std::int64_t begin =
            of_sm / slots * (life + 100) + 2 * (of_sm % slots) + (late ? life - 90 : 0);
        record.first_clock = static_cast<std::uint64_t>(at.cycles) +
                             1000000 * record.multiprocessor + static_cast<std::uint64_t>(begin);
        record.last_clock = record.first_clock + static_cast<std::uint64_t>(life);
        record.nanoseconds_before = at.timer(at.nanoseconds + static_cast<double>(begin));
        record.nanoseconds_after = at.timer(at.nanoseconds + static_cast<double>(begin + life));
        std::memcpy(reinterpret_cast<char*>(records) + warp * std::int64_t{sizeof(record)}, &record,
                    sizeof(record));
    }
    counted += blocks;
    std::memcpy(reinterpret_cast<void*>(counter), &counted, sizeof(counted));
    at.pass(static_cast<double>(blocks) * static_cast<double>(life));
}

} // namespace

FunctionTag function_of(const std::string& text, const std::string& name) {
    using enum FunctionTag::Kind;
    constexpr const char* stated_registers = ".maxnreg ";
    constexpr int most_registers = 255; // Largest number that a compiler uses.
    FunctionTag function;
    function.kind = name == "clock_rate"     ? ClockRate
                    : name == "empty_launch" ? Empty
                    : name == "passing_time" ? PassingTime
                    : text.find("red.global.add") != std::string::npos ||
                            text.find("waiting:\n") != std::string::npos
                        ? Semaphore
                        : Region;
    if (text.find(".amdhsa_kernel") != std::string::npos) {
        constexpr const char* vgprs = ".amdhsa_next_free_vgpr ";
        read_assembly(text, function);
        function.registers = std::stoi(text.substr(text.find(vgprs) + std::strlen(vgprs)));
        return function;
    }
    function.instructions =
        lines_between(text, "mov.u64 %first, %clock64;", "mov.u64 %last, %clock64;");
    function.iterations = trips_of_loop(text);
    if (is_walk(text) && function.iterations > 1) function.trips = function.iterations;
    function.registers = machine().script.registers;
    if (const auto at = text.find(stated_registers); at != std::string::npos)
        function.registers =
            std::min(std::stoi(text.substr(at + std::strlen(stated_registers))), most_registers);
    return function;
}

void run_kernel(const FunctionTag& function, unsigned blocks, unsigned threads, unsigned shared,
                void** arguments) {
    switch (function.kind) {
    case FunctionTag::Kind::ClockRate:
        return run_clock_rate(arguments);
    case FunctionTag::Kind::Semaphore:
        return run_semaphore(function, blocks, threads, shared, arguments);
    case FunctionTag::Kind::Region:
        return run_region(function, blocks, threads, arguments);
    case FunctionTag::Kind::PassingTime:
    case FunctionTag::Kind::Empty:
    case FunctionTag::Kind::User:
        return; // Not of this file.
    }
}

} // namespace warpbound::tests
