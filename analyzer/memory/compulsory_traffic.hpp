#pragma once
/// \file
/// Compulsory traffic: least time of data that a launch loads and that no cache can hold at its
/// start (docs/theory, S79).

#include "analyzer/bound.hpp"
#include "analyzer/flow/data_footprint.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/request.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// A lower bound of the launch's time.
struct TrafficBound {
    std::vector<BoundTerm> terms;
    LoadedUnits loaded; ///< Data that the sum rests on.
    /// The check of the evidence (`Request::is_shown`) finds who loads them.
    bool has_evidence = true;
};

struct CompulsoryTraffic {
    std::vector<TrafficBound> bounds; ///< Alternatives.
    bool trusts_read_only = false;    ///< As in `LoadedData`.
    bool trusts_buffers = false;      ///< As in `LoadedData`.
};

/// Side: lower. Nothing where the description lacks values of the memory system, or all data may
/// lie in the caches. `Sound when:` loads and stores go through the caches (C23), whose contents at
/// the start are not known; `assumption_of` says it.
std::optional<CompulsoryTraffic>
compulsory_traffic(const TimedKernel& kernel, const LaunchGeometry& shape, const Request& request);

/// Adds the bounds by it that are larger than those of `all`, with the path of one of these.
/// `certifies`: also those that have evidence and are larger than the others that have.
void add_compulsory_traffic(const CompulsoryTraffic& traffic, Alternatives& all, bool certifies);

/// Latencies of loads contain queueing delay. Refuses a machine whose channels, slices or links
/// need longer for the data of a launch than the latencies allow: the lower bound is above the
/// upper one.
Result<void> check_contains_traffic(const TimedKernel& kernel, const SideResult& lower,
                                    const SideResult& upper);

/// What these bounds assume beside the contract, as a sentence for a report.
std::string assumption_of(const CompulsoryTraffic& traffic);

} // namespace warpbound::analyzer
