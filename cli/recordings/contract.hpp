#pragma once
/// \file
/// The subcommand `contract`.

#include "cli/program/command.hpp"

namespace warpbound::cli {

void add_contract(CLI::App& app, Invocation& invocation);

} // namespace warpbound::cli
