#pragma once
/// \file
/// What a stand-in driver plays.

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Read from the file that WARPBOUND_STAND_IN names; one line each, `#` begins a comment:
///   init CODE             the driver does not start, with that status (34: a stub, 100: no device)
///   devices N             so many devices; usually 1
///   target SM             their target; usually 80
///   registers N           of every kernel; usually 16
///   l2-bytes N            what the driver says of the L2; usually 65536
///   compile-error TEXT    the compiler refuses all PTX but the clock rate's, with that log
///   out-of-memory-at N    the Nth allocation and all later ones fail
///   rate MHZ              of the clock; usually 1000
///   slow-from N MHZ       the clock's rate from the Nth launch of a microbenchmark on
///   time-out-at N         the Nth launch does not end, and neither does any later one
///   illegal-address-at N  the Nth launch ends so; every later call says the same
///   lost-at N             the device is gone at the Nth launch; every later call says so
///   clock-back-at N       in the Nth launch, every warp's second clock value is below its first
///   clock-jump-at N       in the Nth launch, it is far beyond
///   no-record-at N        in the Nth launch, the last warp leaves no record
///   no-rate-at N          after the Nth launch, the clock rate's kernel leaves nothing
///   refused-at N          the Nth launch is refused for want of resources
///   late-block-at N       in the Nth launch, the last block that fits on an SM begins when its
///                         first one has nearly given up waiting
///   reasons-from N MASK   what NVML says lowers the clock, from the Nth launch on
/// Launches are those of microbenchmarks, and copies that are measured, counted together from 1,
/// warm-up included. Without a file everything goes well.
struct Script {
    int init = 0;
    int devices = 1;
    int target = 80;
    int registers = 16;
    int l2_bytes = 65536;
    std::string compile_error;
    std::int64_t out_of_memory_at = 0; ///< 0: never, as all that follow.
    double rate = 1000.0;
    std::int64_t slow_from = 0;
    double slow_rate = 0.0;
    std::int64_t time_out_at = 0;
    std::int64_t illegal_address_at = 0;
    std::int64_t lost_at = 0;
    std::int64_t clock_back_at = 0;
    std::int64_t clock_jump_at = 0;
    std::int64_t no_record_at = 0;
    std::int64_t no_rate_at = 0;
    std::int64_t refused_at = 0;
    std::int64_t late_block_at = 0;
    std::int64_t reasons_from = 0;
    unsigned long long reasons = 0;
};

/// Ends the program at a line that is none of these: a test with it would test nothing.
Script read_script();

} // namespace warpbound::tests
