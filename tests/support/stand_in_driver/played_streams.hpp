#pragma once
/// \file
/// Streams of the stand-in driver in which blocks only pass time: the queue model in real time.

#include "tests/support/queue_model/queue_model.hpp"
#include "tests/support/stand_in_driver/played_machine.hpp"

namespace warpbound::tests {

/// With the fault of the script.
ModelledDevice played_device();

/// From now on launches of `passing_time`, copies and events are played.
void play_streams();
[[nodiscard]] bool streams_are_played();
void forget_work();
/// That which would write its records to this memory.
void forget_work(harness::cuda::Address records);

// What the host calls now.
harness::cuda::Status add_launch(harness::cuda::Stream stream, unsigned blocks, unsigned threads,
                                 unsigned shared, void** arguments);
harness::cuda::Status add_copy(harness::cuda::Stream stream, bool to_device, std::size_t bytes);
void add_event(harness::cuda::Event event, harness::cuda::Stream stream);

/// Whether the event's time has come; its time is then known, and the launches that have ended have
/// written their records.
[[nodiscard]] bool has_passed(harness::cuda::Event event);

} // namespace warpbound::tests
