#pragma once
/// \file
/// `warpbound pwcet`: probabilistic execution-time estimates of recorded runs.

#include "cli/program/command.hpp"

namespace warpbound::cli {

/// Adds it to the parser, as the functions of `command.hpp` do.
void add_pwcet(CLI::App& app, Invocation& invocation);

} // namespace warpbound::cli
