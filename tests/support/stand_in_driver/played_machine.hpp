#pragma once
/// \file
/// The state of the stand-in driver between calls.

#include "harness/devices/cuda/driver_abi.hpp"
#include "tests/support/stand_in_driver/script.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::cuda {

/// Properties of a kernel, derived from its text.
struct FunctionTag {
    enum class Kind {
        Region,
        ClockRate,
        Semaphore,   ///< Blocks wait for each other.
        PassingTime, ///< Blocks last a stated time; see `played_streams`.
        Empty,       ///< Nothing.
        User,        ///< Machine code; see `played_user_kernel`.
    };
    Kind kind = Kind::Region;
    std::int64_t instructions = 0; ///< Between the clock reads.
    std::int64_t iterations = 1;   ///< Of the loop around them; 1: none.
    std::int64_t trips = 0;        ///< Iterations of a walk; 0: no walk.
    int registers = 0;             ///< Per thread.
};
struct ModuleTag {
    std::string text;
    FunctionTag function;
};
struct StreamTag {
    int priority = 0;
    bool blocks = true;
};
struct EventTag {
    std::optional<std::int64_t> time{}; ///< `Unit:` ns. None: not recorded on played streams.
};

} // namespace warpbound::harness::cuda

namespace warpbound::tests {

struct Machine {
    Script script;
    harness::cuda::Status sticky =
        harness::cuda::Status::Success; ///< The status of every call from now on.
    int lanes = 32;                     ///< Of a warp or wavefront.
    double timer_period = 1.0;          ///< Of the timer that code reads. `Unit:` nanoseconds.
    bool hangs = false;
    std::int64_t launches = 0;
    std::int64_t allocations = 0;
    double elapsed = 0.0; ///< Between the events around the last work. `Unit:` nanoseconds.
    double nanoseconds = 1e9;
    double cycles = 1e9;
    double last_end = 0.0;    ///< Of the last launch; see `played_user_kernel`. 0: there was none.
    bool is_low = false;      ///< The clock is that of idle times.
    bool evicted = false;     ///< The L2, since the last launch of a user's kernel.
    bool is_new_code = false; ///< Loaded since.
    struct Allocation {
        std::unique_ptr<char[]> first; ///< Its address is that of the key or lower.
        std::size_t bytes = 0;
    };
    bool has_second_stream = false;   ///< One that does not block; see `played_user_kernel`.
    std::int64_t launches_beside = 0; ///< On such streams.
    double beside_until = 0.0;        ///< They are at work until then. `Unit:` nanoseconds.
    std::map<harness::cuda::Address, Allocation> memory;
    /// Also those that are never freed.
    std::map<harness::cuda::Module, std::unique_ptr<harness::cuda::ModuleTag>> modules;
    std::vector<std::unique_ptr<harness::cuda::StreamTag>> streams; ///< Also those destroyed.
    std::vector<std::unique_ptr<harness::cuda::EventTag>> events;   ///< Likewise.
    std::map<std::string, std::int64_t> calls; ///< Of functions that the script may let fail.

    [[nodiscard]] bool is_slow() const {
        return script.slow_from > 0 && launches >= script.slow_from;
    }
    [[nodiscard]] double rate() const { // Cycles per nanosecond.
        return (is_low ? script.idle_rate : is_slow() ? script.slow_rate : script.rate) / 1000.0;
    }
    /// What code reads of the timer at that moment.
    [[nodiscard]] std::uint64_t timer(double moment) const {
        return static_cast<std::uint64_t>(moment / timer_period);
    }
    void pass(double nanoseconds_more) {
        nanoseconds += nanoseconds_more;
        cycles += nanoseconds_more * rate();
    }
};

Machine& machine();

/// Begins the next launch or copy, with the fault that the script states for it. Faults that show
/// later do not affect the run itself.
harness::cuda::Status begin_work();

/// For calls that fail on a lost device.
harness::cuda::Status answer();
/// As `answer`, for a call of that function that the script may let fail.
harness::cuda::Status answer(const char* function);

} // namespace warpbound::tests
