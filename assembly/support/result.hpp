#pragma once
/// \file
/// Result of a function that may refuse its input: a value, or a failure with its location.

#include <boost/outcome/std_result.hpp>

#include <cstdint>
#include <string>
#include <system_error>

namespace warpbound {

/// A refusal: what was found and what was expected, and where in which input.
struct Failure {
    std::string what;        ///< One line: what is wrong and what was expected instead.
    std::string where{};     ///< File, option or description; empty when the caller knows it.
    std::int64_t line = 0;   ///< 1-based; 0 when the failure has no line.
    std::int64_t column = 0; ///< 1-based; 0 when the failure has no column.

    friend bool operator==(const Failure&, const Failure&) = default;
};

/// `where:line:column: what`, leaving out what is unknown; `printable`.
std::string to_string(const Failure& failure);

/// Needed by Boost.Outcome's `checked` policy: a wrong access throws instead of being undefined.
inline std::error_code make_error_code(const Failure&) {
    return std::make_error_code(std::errc::invalid_argument);
}

/// A value, or a `Failure`. A wrong access throws `std::logic_error`; an ignored result is a
/// warning.
template <typename Value> using Result = boost::outcome_v2::std_checked<Value, Failure>;

} // namespace warpbound
