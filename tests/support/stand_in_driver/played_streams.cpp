#include "tests/support/stand_in_driver/played_streams.hpp"

#include "harness/devices/cuda/scheduling_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace warpbound::tests {

namespace {

using harness::cuda::Address;
using harness::cuda::BlockRecord;
using harness::cuda::Event;
using harness::cuda::Status;
using harness::cuda::Stream;
using models::HostOperationKind;

/// What the timer of the card is ahead of the host's clock.
constexpr std::int64_t ahead = 1'000'000'000'000;

struct Work {
    ModelledOperation operation;
    Stream stream = nullptr;
    Event event = nullptr; ///< Then it is only this event.
    Address records = 0;
    bool lacks_last_record = false;
    bool written = false;
};

struct PlayedStreams {
    bool active = false;
    std::vector<Work> works; ///< In the order of their calls.
};

PlayedStreams& played() {
    static PlayedStreams only;
    return only;
}

std::int64_t now() {
    return ahead + std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::steady_clock::now().time_since_epoch())
                       .count();
}

void add(Work work) {
    work.operation.call = now();
    if (work.stream != nullptr) {
        const auto& streams = machine().streams;
        const auto found = std::find_if(streams.begin(), streams.end(),
                                        [&](const auto& one) { return one.get() == work.stream; });
        work.operation.stream = static_cast<std::size_t>(found - streams.begin());
        work.operation.priority = work.stream->priority;
    }
    played().works.push_back(work);
}

/// The timer when a block reads it.
std::uint64_t timer_at(std::int64_t time) {
    const std::int64_t step = machine().script.timer_step;
    return static_cast<std::uint64_t>(time / step * step);
}

void write_records(Work& work, const ModelledTimes& times) {
    const auto step = static_cast<std::uint64_t>(machine().script.timer_step);
    const bool interrupted = played_device().fault == Fault::BlocksAreInterrupted;
    for (std::size_t block = 0; block < times.blocks.size(); ++block) {
        if (work.lacks_last_record && block + 1 == times.blocks.size()) break;
        const ModelledBlock& one = times.blocks[block];
        const BlockRecord record{
            .begin = timer_at(one.begin),
            .end = timer_at(one.end),
            .longest_gap = interrupted ? static_cast<std::uint64_t>(one.end - one.begin) : 2 * step,
            .least_gap = step,
            .multiprocessor = static_cast<std::uint64_t>(one.multiprocessor)};
        std::memcpy(reinterpret_cast<char*>(work.records) + block * sizeof(record), &record,
                    sizeof(record));
    }
    work.written = true;
}

/// When everything before the event has ended.
std::int64_t time_of_event(std::size_t event, const std::vector<std::int64_t>& ends) {
    const auto& works = played().works;
    std::int64_t time = works[event].operation.call;
    for (std::size_t i = 0; i < event; ++i)
        if (works[i].stream == works[event].stream || works[i].stream == nullptr ||
            works[event].stream == nullptr)
            time = std::max(time, ends[i]);
    return time;
}

} // namespace

ModelledDevice played_device() {
    return {.multiprocessors = 2,
            .threads = 1536,
            .blocks = 16,
            .shared_memory = 102400,
            .copy_engines = 2,
            .idle = 5'000'000,
            .fault = static_cast<Fault>(machine().script.schedule_fault)};
}

void play_streams() {
    played().active = true;
}

bool streams_are_played() {
    return played().active;
}

void forget_work() {
    played() = {};
}

void forget_work(Address records) {
    std::erase_if(played().works, [records](const Work& work) {
        return work.event == nullptr && work.operation.is_launch() && work.records == records;
    });
}

Status add_launch(Stream stream, unsigned blocks, unsigned threads, unsigned shared,
                  void** arguments) {
    Work work;
    std::memcpy(&work.records, arguments[0], sizeof(work.records));
    std::uint64_t length = 0;
    std::memcpy(&length, arguments[1], sizeof(length));
    work.stream = stream;
    work.operation.blocks = blocks;
    work.operation.threads = threads;
    work.operation.shared_memory = shared;
    work.operation.length = std::max<std::int64_t>(1, static_cast<std::int64_t>(length));
    work.lacks_last_record = machine().launches == machine().script.no_record_at;
    add(work);
    return Status::Success;
}

Status add_copy(Stream stream, bool to_device, std::size_t bytes) {
    Work work;
    work.stream = stream;
    work.operation.kind =
        to_device ? HostOperationKind::CopyToDevice : HostOperationKind::CopyToHost;
    work.operation.length = 8000 + static_cast<std::int64_t>(bytes / 10);
    add(work);
    return begin_work();
}

void add_event(Event event, Stream stream) {
    Work work;
    work.stream = stream;
    work.event = event;
    event->time.reset();
    add(work);
}

bool has_passed(Event event) {
    auto& works = played().works;
    std::vector<ModelledOperation> operations;
    for (const Work& work : works)
        if (work.event == nullptr) operations.push_back(work.operation);
    const auto times = play(played_device(), operations);
    std::vector<std::int64_t> ends;
    const std::int64_t at = now();
    std::size_t operation = 0;
    bool all_ended = true;
    bool passed = false;
    for (std::size_t i = 0; i < works.size(); ++i) {
        Work& work = works[i];
        if (work.event == nullptr) {
            const ModelledTimes& one = times[operation++];
            ends.push_back(one.end);
            if (work.operation.is_launch() && one.end <= at && !work.written)
                write_records(work, one);
        } else {
            ends.push_back(time_of_event(i, ends));
            if (ends.back() <= at) work.event->time = ends.back();
            if (work.event == event) passed = ends.back() <= at;
        }
        all_ended = all_ended && ends.back() <= at;
    }
    // An event that was recorded before all of this was played has passed.
    const bool known = std::any_of(works.begin(), works.end(),
                                   [event](const Work& work) { return work.event == event; });
    if (all_ended) works.clear();
    return passed || !known;
}

} // namespace warpbound::tests
