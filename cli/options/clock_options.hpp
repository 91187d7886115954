#pragma once
/// \file
/// The options --clock and --deadline.

#include "assembly/support/result.hpp"
#include "models/time/clock.hpp"
#include "models/time/deadline.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace warpbound::cli {

/// Adds --clock; a text that `models::parse_clock` refuses is a usage error.
CLI::Option* add_clock(CLI::App& command, std::string& clock);
/// Adds --deadline; a text that `models::parse_deadline` refuses is a usage error.
CLI::Option* add_deadline(CLI::App& command, std::string& deadline);

/// The deadline of an option; none for an empty text. Refuses a time without a clock, naming what
/// to state.
Result<std::optional<models::Deadline>> deadline_of(const std::string& text,
                                                    const std::optional<models::Clock>& clock,
                                                    const models::Architecture& architecture);

} // namespace warpbound::cli
