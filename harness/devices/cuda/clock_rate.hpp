#pragma once
/// \file
/// How fast a device's clock register counts.

#include "harness/devices/cuda/built_code.hpp"

#include <utility>

namespace warpbound::harness::cuda {

/// Counts cycles of the clock (%clock64, of AMD S_MEMTIME or SHADER_CYCLES) while the timer
/// (%globaltimer, of AMD S_MEMREALTIME or its message) advances by a fifth of a millisecond. The
/// timer may advance in steps of a microsecond, so a rate is accurate to about one percent.
class ClockRate {
public:
    static Result<ClockRate> prepare(const std::shared_ptr<Session>& session);

    struct Rate {
        Remark remark; ///< No anomaly: the rate is valid.
        double hertz = 0.0;
    };
    /// The current rate. Requires: the caller holds the session lock.
    [[nodiscard]] Rate measure() const;

private:
    ClockRate(std::shared_ptr<Session> session, BuiltCode code, Buffer record)
        : session_{std::move(session)}, code_{std::move(code)}, record_{std::move(record)} {}

    std::shared_ptr<Session> session_;
    BuiltCode code_;
    Buffer record_;
};

} // namespace warpbound::harness::cuda
