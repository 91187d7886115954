#pragma once
/// \file
/// Several waves of blocks that pass no barrier: sums along blocks whose times cover that of a
/// multiprocessor (step S74 of docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/interference/critical_path.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// Parts of a cover besides the last one.
struct CoverParts {
    std::int64_t same = 0;  ///< The next part is on the same scheduler.
    std::int64_t other = 0; ///< It is on another one, or a block slot is refilled.

    friend bool operator==(const CoverParts&, const CoverParts&) = default;
};

/// Starts of blocks that a part takes, and what it costs. `Unit:` core cycles.
struct PartOfCover {
    std::int64_t starts = 1;
    std::int64_t cost = 0;
};

/// The parts that cost most and take at most `starts` together; of equally costly ones those with
/// the fewest on another scheduler. Requires: nothing is negative, and each part takes a start.
CoverParts costliest_parts(std::int64_t starts, const PartOfCover& same, const PartOfCover& other);

/// One sum for each rule of S74, each of which is an upper bound; none where S74 claims nothing of
/// the launch, or the kernel has no certificate of beginnings of paths. Throws `Finding` where that
/// bounds less than the one of whole paths. Side: upper. Sound when: the policy is work-conserving.
std::vector<std::vector<Term>> cover_terms_of(const InterferenceInputs& inputs,
                                              const CertificateValues& values);

} // namespace warpbound::certification::verify
