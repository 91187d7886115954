#pragma once
/// \file
/// Cycles that a bound has beyond its certificates: values of the description, each so often.

#include "certification/verify/evidence.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// A sum of terms without certificates. `Unit:` core cycles.
class Charges {
public:
    /// Nothing where one of them is 0 or less.
    void charge(std::int64_t count, std::int64_t cycles);
    void append(const Charges& others);

    [[nodiscard]] std::int64_t sum() const;
    [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

private:
    std::vector<Term> terms_;
};

/// The smallest sum; of equal ones the first. Requires: some.
const Charges& least_of(const std::vector<Charges>& alternatives);

} // namespace warpbound::certification::verify
