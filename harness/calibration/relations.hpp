#pragma once
/// \file
/// The relations between times of the calibration suite and values of a description, inverted.
/// None of them is a model of the machine: each benchmark is made so that one value shows alone.

#include "harness/calibration/ledger.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

/// What later relations need of earlier ones. `Unit:` core cycles.
struct Basis {
    /// Distance of two instructions of a warp that wait for nothing: the larger of same-warp
    /// interval and issue slot.
    std::int64_t step = 0;
    /// Time between two clock reads with nothing between them.
    std::int64_t empty_region = 0;
    std::optional<std::int64_t> schedulers;
    std::optional<std::int64_t> slot;
};

/// Step, empty region and latency of the clock read from the switched-off instructions. Nothing
/// when they do not lie on a line: then no other relation holds.
std::optional<Basis> read_steps(const Measurements& measurements, Ledger& ledger);
/// Latencies, initiations beyond a step, pass costs, branches, barriers.
void read_delays(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Number of schedulers, issue slot, same-warp interval.
void read_schedulers(const Measurements& measurements, Basis& basis, Ledger& ledger);
/// The warp policy, as `models::read_policy` reads it, by rule from who is delayed when a warp
/// wakes up. Needs the schedulers.
std::optional<std::string> read_policy(const Measurements& measurements, const Basis& basis,
                                       Ledger& ledger);
/// Initiations below a step and who shares a port ("classes/float-add/port"). Needs schedulers and
/// slot.
void read_ports(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Entries and drain of the write buffer, and the initiations of stores, which it may hide.
void read_write_buffer(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Size, sets, ways, line, sector of the L1; size, ways, sector of the L2; latencies of both.
void read_caches(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Misses of the L1 that are in flight at once. Needs its line and sector.
void read_misses(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Warp and block slots of an SM.
void read_residence(const Measurements& measurements, Ledger& ledger);
/// Size, granularity and partitions of the register file; size, granularity and reserved bytes of
/// the shared memory.
void read_room(const Measurements& measurements, Ledger& ledger);

/// The path under which the policy is reported.
inline constexpr std::string_view policy_path = "policy";

// What several relations use.

/// What the operation of a delay benchmark adds to the line of switched-off instructions, sample by
/// sample: the distance between it and the next instruction.
std::vector<std::int64_t> distances(const RecordedSeries& series, const Basis& basis);
/// One number where the samples agree, else their range. Requires: there are samples.
Reading reading_of(std::vector<std::int64_t> samples, std::string benchmark,
                   std::vector<const RecordedSeries*> series);
/// Reads a distance that no instruction can be closer than a step: what lies below does not show.
/// `also`: the series for which this point was chosen.
void read_distance(const std::string& path, const std::string& point, std::int64_t least,
                   const Measurements& measurements, const Basis& basis, Ledger& ledger,
                   const std::vector<const RecordedSeries*>& also = {});
/// The initiation of an access of a class from how long one of many passes keeps its port.
void read_port_time(const std::string& name, const Measurements& measurements, const Basis& basis,
                    Ledger& ledger);
/// Every time of a series, by run and warp.
std::vector<std::int64_t> all_times(const RecordedSeries& series);
/// The one time that all samples agree on.
std::optional<std::int64_t> constant_time(const RecordedSeries* series);
/// Nearest whole number, halves upward. Requires: divisor > 0.
std::int64_t nearest(std::int64_t dividend, std::int64_t divisor);

/// Clocks of one warp in one run. `Unit:` core cycles since the earliest of the launch.
struct WarpClocks {
    std::int64_t first = 0;
    std::int64_t last = 0;
};
/// By block, then warp.
std::vector<WarpClocks> clocks_of(const Sample& sample);

} // namespace warpbound::harness
