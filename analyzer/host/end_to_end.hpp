#pragma once
/// \file
/// Time from the host's first call to the end of the last operation, for a launch with copies
/// before and after it in one stream (C32 to C36 of docs/reference/timing-contract.md;
/// docs/theory, S24).

#include "analyzer/bound.hpp"
#include "analyzer/request.hpp"

namespace warpbound::analyzer {

struct EndToEnd {
    Envelope envelope;
    std::vector<std::string> assumptions; ///< In addition to those of the execution time.
};

/// `execution`: bounds of the launch's execution time. Requires: `request.host`. Refuses, naming
/// it, a required value of `transfers`, `geometry/core-clock` or `blocks/launch` that is unknown,
/// and copies of fewer bytes than 1 or more than `models::most_copy_bytes`. Throws
/// `std::overflow_error` beyond 2^63 cycles.
Result<EndToEnd> bound_end_to_end(const Request& request, const Envelope& execution);

} // namespace warpbound::analyzer
