#pragma once
/// \file
/// Rounding of floating-point results as modifiers ask for it.

#include "harness/execution/operation.hpp"

#include <cfenv>

namespace warpbound::harness::execution {

/// The host's rounding direction that the modifiers name; to nearest without one.
inline int rounding_of(const Operation& operation) {
    return operation.has(Modifier::RZ)   ? FE_TOWARDZERO
           : operation.has(Modifier::RM) ? FE_DOWNWARD
           : operation.has(Modifier::RP) ? FE_UPWARD
                                         : FE_TONEAREST;
}

/// Sets the rounding direction while it lives. Values computed within must pass through `volatile`
/// objects, so that the compiler does not move them.
class RoundingScope {
public:
    explicit RoundingScope(int direction) : before_{std::fegetround()} {
        std::fesetround(direction);
    }
    ~RoundingScope() { std::fesetround(before_); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

private:
    int before_;
};

} // namespace warpbound::harness::execution
