#pragma once
/// \file
/// The script of a stand-in driver.

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// Read from the file that WARPBOUND_STAND_IN names; one line each, `#` begins a comment:
///   init CODE             the driver does not start, with that status (34: a stub, 100: no device)
///   devices N             number of devices; default 1
///   target SM             their target; default 80
///   processor NAME        of its devices as cards of AMD; default gfx90a
///   lanes N               of a wavefront there; default 64
///   timer-rate KHZ        of the timer there; default 100000, 0: the runtime does not know it
///   registers N           of every kernel; default 16
///   l2-bytes N            the size of the L2 that the driver reports; default 65536
///   compile-error TEXT    the compiler refuses all PTX but the clock rate's, with that log
///   out-of-memory-at N    the Nth allocation and all later ones fail
///   rate MHZ              of the clock; default 1000
///   slow-from N MHZ       the clock's rate from the Nth launch of a microbenchmark on
///   time-out-at N         the Nth launch does not end, and neither does any later one
///   illegal-address-at N  the Nth launch fails so; every later call returns the same
///   lost-at N             the device is lost at the Nth launch; every later call reports it
///   clock-back-at N       in the Nth launch, every warp's second clock value is below its first
///   clock-jump-at N       in the Nth launch, it is far above
///   no-record-at N        in the Nth launch, the last warp stores no record
///   no-rate-at N          after the Nth launch, the clock rate's kernel stores nothing
///   refused-at N          the Nth launch is refused for lack of resources
///   late-block-at N       in the Nth launch, the last block that fits on an SM begins when its
///                         first one has nearly timed out
///   user-time NS          of a user's kernel at the full clock, beside the 4 us of a launch;
///   default
///                         20000
///   user-jitter NS        it takes up to that longer
///   user-from-dram NS     it takes that longer after a fill of twice the L2
///   user-code NS          it takes that longer in the first launch after its code was loaded
///   idle NS MHZ           the clock in a launch of a user's kernel after so long without launches
///   empty-time NS         of the launch of a kernel that does nothing; default 4000
///   beside-time NS        of a user's kernel on a stream that does not block; default 20000
///   beside-slows NS       a user's kernel takes that longer while such a stream is at work
///   beside-ends-at N      from the Nth launch on such streams on, one takes no time
///   beside-refused-at N   the Nth launch on such streams is refused for lack of resources
///   wrong-output-at N     the Nth launch, if it is of a user's kernel, leaves a wrong bit
///   fail-call NAME STATUS N  after N calls of the driver's function, all of them return that
///   status priorities N          priorities of streams: 0 to 1 - N; default 6 timer-step N of the
///   nanosecond timer of blocks that pass time; default 32 schedule-fault N      `Fault` of the
///   queue model, by number; default 0, none reasons-from N MASK   the reasons of NVML for a lower
///   clock, from the Nth launch on
/// Launches are those of microbenchmarks, and copies that are measured, counted together from 1,
/// warm-up included. Without a file there are no faults.
struct Script {
    int init = 0;
    int devices = 1;
    int target = 80;
    std::string processor = "gfx90a:sramecc+:xnack-";
    int lanes = 64;
    int timer_rate = 100'000;
    int registers = 16;
    int l2_bytes = 65536;
    std::string compile_error;
    std::int64_t out_of_memory_at = 0; ///< 0: never; likewise below.
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
    double user_time = 20000.0;
    double user_jitter = 0.0;
    double user_from_dram = 0.0;
    double user_code = 0.0;
    std::int64_t idle_after = 0;
    double idle_rate = 0.0;
    double empty_time = 4000.0;
    double beside_time = 20000.0;
    double beside_slows = 0.0;
    std::int64_t beside_ends_at = 0;
    std::int64_t beside_refused_at = 0;
    std::int64_t wrong_output_at = 0;
    std::string fail_call;
    int fail_status = 0;
    std::int64_t fail_after = 0;
    int priorities = 6;
    std::int64_t timer_step = 32;
    int schedule_fault = 0;
    std::int64_t reasons_from = 0;
    unsigned long long reasons = 0;
};

/// Ends the program at an unknown line: a test with it would test nothing.
Script read_script();

} // namespace warpbound::tests
