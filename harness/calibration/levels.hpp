#pragma once
/// \file
/// Classification of loads by the memory level that serves them, from their times. Reference loads:
/// of a line loaded before (L1 hit) and of a line never loaded (DRAM). Times in between are those
/// of the L2.

#include "harness/calibration/relations.hpp"

namespace warpbound::harness {

enum class Level { L1, L2 };

class Levels {
public:
    /// From the reference loads of the suite. Refuses, with the reason, if they were not measured
    /// or do not differ.
    static Result<Levels> of(const Measurements& measurements, const Basis& basis);

    /// Whether the loads of a series hit in that level or one closer to the core. Refuses a series
    /// whose loads are served inside and outside of it: the serving level is then random.
    [[nodiscard]] Result<bool> within(Level level, const RecordedSeries& series) const;
    /// Series of the reference loads.
    [[nodiscard]] const std::vector<const RecordedSeries*>& series() const { return series_; }

private:
    Levels(Basis basis, std::vector<const RecordedSeries*> series, std::int64_t slowest_hit,
           std::int64_t fastest_cold)
        : basis_{std::move(basis)}, series_{std::move(series)}, slowest_hit_{slowest_hit},
          fastest_cold_{fastest_cold} {}

    Basis basis_;
    std::vector<const RecordedSeries*> series_;
    std::int64_t slowest_hit_ = 0;
    std::int64_t fastest_cold_ = 0;
};

/// The majority decision of `Levels::within`. Refuses if more than three of twenty loads disagree.
/// If both outcomes were equally likely, 17 of 20 loads would agree in one of 400 series. Given 500
/// loads of one level, four of 20 further loads of it are slower than all 500 in one of 600 000
/// cases.
Result<bool> most_are(std::int64_t inside, std::int64_t all, const std::string& series);

} // namespace warpbound::harness
