#include "harness/trace/issue_match.hpp"

#include <fmt/format.h>

namespace warpbound::harness::trace {

Result<void> match_kernel(const assembly::Function& listing, const SassTrace& trace) {
    if (trace.kernel != listing.name)
        return Failure{
            fmt::format("a trace of kernel '{}'; '{}' was expected", trace.kernel, listing.name),
            ""};
    if (trace.binary_version != 0 && trace.binary_version != listing.target.sm)
        return Failure{fmt::format("a trace of sm_{} code; the listing of kernel '{}' is {} code",
                                   trace.binary_version, listing.name, to_string(listing.target)),
                       ""};
    return boost::outcome_v2::success();
}

Result<std::size_t> match_issue(const assembly::Function& listing, const TracedIssue& issue) {
    const auto index = listing.index_of(issue.address);
    if (!index)
        return Failure{fmt::format("0x{:04x} of the trace is no instruction of kernel '{}'",
                                   issue.address, listing.name),
                       ""};
    const std::string listed = assembly::opcode_text(listing.instructions[*index]);
    if (listed != issue.opcode)
        return Failure{fmt::format("{} at 0x{:04x} of the trace, where the listing of kernel '{}' "
                                   "has {}",
                                   issue.opcode, issue.address, listing.name, listed),
                       ""};
    return *index;
}

} // namespace warpbound::harness::trace
