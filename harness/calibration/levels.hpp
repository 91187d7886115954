#pragma once
/// \file
/// Who serves a load, by its time: a load of a line that was loaded before is the L1's, one of a
/// line that nobody has loaded DRAM's, and what lies between the L2's.

#include "harness/calibration/relations.hpp"

namespace warpbound::harness {

enum class Level { L1, L2 };

class Levels {
public:
    /// Of the reference loads of the suite. Refuses, with the reason, when they were not measured
    /// or do not differ.
    static Result<Levels> of(const Measurements& measurements, const Basis& basis);

    /// Whether the loads of a series find their line in that level or one before it. Refuses a
    /// series that both seem to serve: what its loads find is chance.
    [[nodiscard]] Result<bool> within(Level level, const RecordedSeries& series) const;
    /// Of the reference loads.
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

/// The decision behind `Levels::within`. Refuses more than three dissenters in twenty: of loads
/// each of which is as likely one as the other, 17 of 20 agree in one of 400 series, and of 500
/// loads of one level and 20 more of it, four of these are slower than all 500 in one of 600 000.
Result<bool> most_are(std::int64_t inside, std::int64_t all, const std::string& series);

} // namespace warpbound::harness
