#pragma once
/// \file
/// A machine description from the JSON that mt4g writes: caches, latencies and limits of one card.
/// A starting point, not a calibration: instructions are unknown, or those of a base.

#include "assembly/support/result.hpp"
#include "assembly/support/source_text.hpp"
#include "models/architecture/architecture.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness {

struct TopologyRequest {
    std::string name; ///< Of the description.
    /// Needed of AMD's cards, whose processor the file does not name; else as the file says.
    std::optional<assembly::Target> target;
    /// Supplies every value that the file does not have.
    std::optional<models::Architecture> base;
};

/// A value of the file that is not in the description.
struct LeftOut {
    std::string field; ///< "memory/scalarL1/size"
    std::string why;
};

struct ImportedTopology {
    models::Architecture machine;
    std::vector<std::string> taken; ///< Paths of the values, in the order of the file's meaning.
    std::vector<LeftOut> left_out;
};

/// Values have grade `repository`, measured on the card, and name the file, the card and the time.
/// Latencies reach from a tenth below the smaller of mean and median to a tenth above the larger of
/// mean and 95th percentile: samples are no bounds. Sizes that mt4g is not at least 90 % confident
/// of are left out, as attributes that HIP does not count as a description does. Refuses a file
/// that is none of mt4g's, units that it does not write, a card of AMD without a target, and a base
/// or target of another machine.
Result<ImportedTopology> import_topology(const assembly::SourceText& file,
                                         const TopologyRequest& request);

} // namespace warpbound::harness
