#pragma once
/// \file
/// A user's kernel on the stand-in driver: machine code that takes a scripted time and adds one to
/// every byte of the buffer that its first parameter points to.

#include "tests/support/stand_in_driver/played_machine.hpp"

#include <string>

namespace warpbound::tests {

/// Whether a module is machine code (ELF) rather than PTX.
[[nodiscard]] bool is_machine_code(const void* image);
/// All of its bytes, as far as its section headers tell.
[[nodiscard]] std::string machine_code(const void* image);

/// `extra`: the last argument of cuLaunchKernel, with the parameters as one block of bytes.
void run_user_kernel(void** extra);

/// Ends the clock of idle times.
void wake_up();

} // namespace warpbound::tests
