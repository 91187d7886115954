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

/// Queues a launch on a stream that does not block: no time passes for the caller. While such a
/// stream is at work, a user's kernel on another one is slowed.
harness::cuda::Status run_beside();
/// The event on its stream, where there is a second one: its time is when the work before it ends.
void record_beside(harness::cuda::Event event, harness::cuda::Stream stream);
/// Whether the time of such an event has come; asking takes 50 us.
[[nodiscard]] bool has_come(harness::cuda::Event event);

/// Ends the clock of idle times.
void wake_up();

} // namespace warpbound::tests
