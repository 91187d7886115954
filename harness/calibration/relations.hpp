#pragma once
/// \file
/// The relations between times of the calibration suite and values of a description, inverted. None
/// of them is a model of the machine: each benchmark isolates one value.

#include "harness/calibration/ledger.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness {

/// Results of earlier relations that later ones need. `Unit:` core cycles.
struct Basis {
    /// Issue distance of two independent instructions of a warp: the larger of same-warp interval
    /// and issue slot.
    std::int64_t step = 0;
    /// Time between two clock reads with nothing between them.
    std::int64_t empty_region = 0;
    std::optional<std::int64_t> schedulers;
    std::optional<std::int64_t> slot;
};

/// Step, empty region and latency of the clock read, from the predicated-off instructions. Empty if
/// their times are not linear: then no other relation holds.
std::optional<Basis> read_steps(const Measurements& measurements, Ledger& ledger);
/// Latencies, initiation intervals longer than a step, costs per transaction, branches, barriers.
void read_delays(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Number of schedulers, issue slot, same-warp interval.
void read_schedulers(const Measurements& measurements, Basis& basis, Ledger& ledger);
/// The warp policy, in the form that `models::read_policy` reads, from which warp is delayed when a
/// warp wakes up. Needs the number of schedulers.
std::optional<std::string> read_policy(const Measurements& measurements, const Basis& basis,
                                       Ledger& ledger);
/// Initiation intervals up to a step, and which warps share a port ("classes/float-add/port").
/// Needs the number of schedulers and the issue slot.
void read_ports(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Entries and drain time of the write buffer, and the initiation intervals of stores, which it may
/// hide.
void read_write_buffer(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Size, sets, ways, line, sector of the L1; size, ways, sector of the L2; latencies of both.
void read_caches(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Number of outstanding L1 misses (MSHR entries). Needs the line and the sector of the L1.
void read_misses(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Warp and block slots of an SM.
void read_residency(const Measurements& measurements, Ledger& ledger);
/// Size, granularity and partitions of the register file; size, granularity and reserved bytes of
/// the shared memory.
void read_occupancy_limits(const Measurements& measurements, Ledger& ledger);

/// Why the relations do not hold on a machine with encoded issue control (C97); empty: they do.
/// `basis`: from the predicated-off instructions, whose stall counts are stated.
std::string premise_of_encoded(const std::optional<Basis>& basis);
/// Fixed latencies, from the least stall count at which a consumer reads the result. `basis`: as
/// above, without objection.
void read_searches(const Measurements& measurements, const Basis& basis, Ledger& ledger);
/// Drops what the relations read on a machine with encoded issue control although it has no such
/// value, or although a memory queue or several lines in a pass hide it.
void keep_encoded(const Measurements& measurements, const Basis& basis, Ledger& ledger);

/// The path under which the policy is reported.
inline constexpr std::string_view policy_path = "policy";

// Shared by several relations.

/// The issue distance between the operation of a delay benchmark and the next instruction, for each
/// sample: its time beyond that of the predicated-off instructions.
std::vector<std::int64_t> distances(const RecordedSeries& series, const Basis& basis);
/// One number if the samples agree, else their range. Requires: there are samples.
Reading reading_of(std::vector<std::int64_t> samples, std::string benchmark,
                   std::vector<const RecordedSeries*> series);
/// Reads an issue distance. Instructions cannot be closer than a step, so smaller values cannot be
/// observed. `also`: the series by which this point was chosen.
void read_distance(const std::string& path, const std::string& point, std::int64_t least,
                   const Measurements& measurements, const Basis& basis, Ledger& ledger,
                   const std::vector<const RecordedSeries*>& also = {});
/// The initiation interval of an access class, from how long an access of many transactions
/// occupies its port.
void read_port_time(const std::string& name, const Measurements& measurements, const Basis& basis,
                    Ledger& ledger);
/// Every time of a series, by run and warp.
std::vector<std::int64_t> all_times(const RecordedSeries& series);
/// The time, if all samples agree.
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

/// The description of a machine of which the target alone is known: each class has its own unit,
/// and a warp the lanes of the target.
models::Architecture blank_machine(assembly::Target target);

} // namespace warpbound::harness
