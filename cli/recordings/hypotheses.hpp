#pragma once
/// \file
/// The subcommand `hypotheses`.

#include "cli/program/command.hpp"

namespace warpbound::cli {

void add_hypotheses(CLI::App& app, Invocation& invocation);

} // namespace warpbound::cli
