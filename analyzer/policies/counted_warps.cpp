#include "analyzer/policies/counted_warps.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/interference/certified_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace warpbound::analyzer {

void certify_beyond_ports(const TimedKernel& kernel, const AnalysisRun& run,
                          const DemandByWarp& found, const std::vector<BoundTerm>& terms) {
    const auto is_named = [&](const std::string& id) {
        return std::any_of(terms.begin(), terms.end(),
                           [&](const BoundTerm& term) { return term.certificate == id; });
    };
    certified_most(kernel, run,
                   {certificate_id("demand-beyond-ports"),
                    "demand of a warp on its own scheduler beyond ports of the multiprocessor"},
                   found.excess);
    const std::string longest = certificate_id("interval-beyond-ports");
    if (is_named(longest))
        certified_most(
            kernel, run,
            {longest,
             "demand of a warp in one barrier interval beyond ports of the multiprocessor"},
            barrier_interval_paths(kernel, found.excess));
    for (const IntervalLimit& limit : found.demand.limits) {
        const std::string id = beyond_limit(certificate_id("intervals-beyond"), limit.within);
        if (is_named(id))
            certified_most(kernel, run,
                           {id, fmt::format("demand of a warp beyond ports of the multiprocessor, "
                                            "beyond {} in each of its barrier intervals",
                                            limit.within)},
                           intervals_beyond(kernel, found.excess, limit.within));
    }
}

} // namespace warpbound::analyzer
