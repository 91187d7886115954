#include "harness/devices/cuda/scheduling_run.hpp"

#include "harness/suite/emission/ptx_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <thread>

namespace warpbound::harness::cuda {

namespace {

using hypotheses::ObservedOperation;
using hypotheses::ObservedWorkload;
using hypotheses::TimeRange;
using HostClock = std::chrono::steady_clock;

/// Gives up after some seconds of a slow timer.
constexpr const char* passing_time_body =
    R"(.visible .entry passing_time(.param .u64 records, .param .u64 length)
{
  .reg .b64 %records, %length, %begin, %now, %before, %gap, %longest, %least, %passed, %part;
  .reg .b32 %thread, %block, %left, %sm;
  .reg .pred %other, %on;
  ld.param.u64 %records, [records];
  ld.param.u64 %length, [length];
  mov.u32 %thread, %tid.x;
  setp.ne.u32 %other, %thread, 0;
  @%other bra together;
  mov.u32 %left, 268435456;
  mov.u64 %longest, 0;
  mov.u64 %least, 9223372036854775807;
  mov.u64 %begin, %globaltimer;
  mov.u64 %before, %begin;
passing:
  mov.u64 %now, %globaltimer;
  sub.u64 %gap, %now, %before;
  mov.u64 %before, %now;
  max.u64 %longest, %longest, %gap;
  setp.eq.u64 %on, %gap, 0;
  @%on bra same;
  min.u64 %least, %least, %gap;
same:
  sub.u32 %left, %left, 1;
  setp.eq.u32 %on, %left, 0;
  @%on bra passed;
  sub.u64 %passed, %now, %begin;
  setp.lt.u64 %on, %passed, %length;
  @%on bra passing;
passed:
  mov.u32 %block, %ctaid.x;
  mad.wide.u32 %records, %block, 40, %records;
  mov.u32 %sm, %smid;
  cvt.u64.u32 %part, %sm;
  st.global.u64 [%records], %begin;
  st.global.u64 [%records+8], %now;
  st.global.u64 [%records+16], %longest;
  st.global.u64 [%records+24], %least;
  st.global.u64 [%records+32], %part;
together:
  bar.sync 0;
  exit;
}
)";

std::int64_t host_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(HostClock::now().time_since_epoch())
        .count();
}

/// The streams, events and buffers of a run; freed at its end, unless the device is lost.
class SchedulingRun {
public:
    SchedulingRun(const std::shared_ptr<Session>& session, const BuiltCode& passing_time)
        : session_{session}, call_{&session->call()}, passing_time_{&passing_time} {}
    SchedulingRun(const SchedulingRun&) = delete;
    SchedulingRun& operator=(const SchedulingRun&) = delete;
    ~SchedulingRun() {
        if (session_->lost()) return;
        for (const Event event : events_)
            call_->EventDestroy_v2(event);
        for (const auto& [number, stream] : streams_)
            call_->StreamDestroy_v2(stream);
        for (void* host : host_memory_)
            call_->MemFreeHost(host);
    }

    Result<ObservedWorkload> run(const std::vector<CardOperation>& operations);

private:
    /// What belongs to an operation.
    struct Issued {
        Stream stream = nullptr;
        std::optional<Buffer> memory{}; ///< Records, or the copy's memory of the device.
        void* host = nullptr;
        Event head = nullptr; ///< Recorded before a copy.
        Event end = nullptr;
        TimeRange called{}; ///< By the host's clock.
    };

    Failure refuse(Status status, const char* name) { return session_->failure(status, name); }
    Result<Event> make_event() {
        Event event = nullptr;
        constexpr unsigned plain = 0;
        if (const Status status = call_->EventCreate(&event, plain); status != Status::Success)
            return refuse(status, "cuEventCreate");
        events_.push_back(event);
        return event;
    }
    Result<Stream> stream_of(const CardOperation& operation);
    Result<void> prepare(const CardOperation& operation, Issued& issued);
    Result<void> record(Event event, Stream stream) {
        const Status status = call_->EventRecord(event, stream);
        if (status != Status::Success) return refuse(status, "cuEventRecord");
        return boost::outcome_v2::success();
    }
    Result<void> issue(const CardOperation& operation, Issued& issued);
    Result<void> launch(Stream stream, const LaunchGeometry& geometry, Address records,
                        std::uint64_t length);
    Result<void> wait(Event event, const char* what);
    /// Where the host's clock and the base event stand on the card's timer.
    Result<void> synchronize_clocks();
    Result<TimeRange> time_of(Event event);
    Result<ObservedOperation> observe(const CardOperation& operation, const Issued& issued);
    [[nodiscard]] TimeRange on_card(const TimeRange& host) const {
        return {host.earliest - offset_.latest - zero_, host.latest - offset_.earliest - zero_};
    }

    std::shared_ptr<Session> session_;
    const DriverFunctions* call_;
    const BuiltCode* passing_time_;
    std::map<std::size_t, Stream> streams_;
    std::vector<Event> events_;
    std::vector<void*> host_memory_;
    TimeRange offset_;    ///< The host's clock less the card's timer.
    TimeRange base_time_; ///< Of the base event, by the card's timer, from `zero_` on.
    Event base_ = nullptr;
    std::int64_t zero_ = 0; ///< The card's timer at the start of the run.
};

Result<Stream> SchedulingRun::stream_of(const CardOperation& operation) {
    if (!operation.stream) return Stream{nullptr};
    const auto known = streams_.find(*operation.stream);
    if (known != streams_.end()) return known->second;
    Stream stream = nullptr;
    constexpr unsigned plain = 0;
    const Status status = operation.priority
                              ? call_->StreamCreateWithPriority(&stream, plain, *operation.priority)
                              : call_->StreamCreate(&stream, plain);
    if (status != Status::Success)
        return refuse(status, operation.priority ? "cuStreamCreateWithPriority" : "cuStreamCreate");
    streams_[*operation.stream] = stream;
    return stream;
}

Result<void> SchedulingRun::prepare(const CardOperation& operation, Issued& issued) {
    auto stream = stream_of(operation);
    if (!stream) return stream.as_failure();
    issued.stream = stream.value();
    const bool is_launch = operation.kind == models::HostOperationKind::Launch;
    auto memory =
        Buffer::make(session_, is_launch ? operation.geometry.blocks *
                                               static_cast<std::int64_t>(sizeof(BlockRecord))
                                         : operation.bytes);
    if (!memory) return memory.as_failure();
    issued.memory.emplace(std::move(memory).value());
    if (const Status status = issued.memory->fill(0); status != Status::Success)
        return refuse(status, "cuMemsetD8_v2");
    auto end = make_event();
    if (!end) return end.as_failure();
    issued.end = end.value();
    if (is_launch) return boost::outcome_v2::success();
    auto head = make_event();
    if (!head) return head.as_failure();
    issued.head = head.value();
    const Status status =
        call_->MemAllocHost_v2(&issued.host, static_cast<std::size_t>(operation.bytes));
    if (status != Status::Success) return refuse(status, "cuMemAllocHost_v2");
    host_memory_.push_back(issued.host);
    return boost::outcome_v2::success();
}

Result<void> SchedulingRun::launch(Stream stream, const LaunchGeometry& geometry, Address records,
                                   std::uint64_t length) {
    std::array<void*, 2> arguments{&records, &length};
    const Status status = call_->LaunchKernel(
        passing_time_->function(), static_cast<unsigned>(geometry.blocks), 1, 1,
        static_cast<unsigned>(geometry.threads), 1, 1, static_cast<unsigned>(geometry.shared_bytes),
        stream, arguments.data(), nullptr);
    if (status != Status::Success) return refuse(status, "cuLaunchKernel");
    return boost::outcome_v2::success();
}

Result<void> SchedulingRun::issue(const CardOperation& operation, Issued& issued) {
    if (issued.head != nullptr)
        if (auto recorded = record(issued.head, issued.stream); !recorded) return recorded;
    issued.called.earliest = host_now();
    if (operation.kind == models::HostOperationKind::Launch) {
        if (auto launched = launch(issued.stream, operation.geometry, issued.memory->address(),
                                   operation.length);
            !launched)
            return launched;
    } else {
        const bool to_device = operation.kind == models::HostOperationKind::CopyToDevice;
        const auto bytes = static_cast<std::size_t>(operation.bytes);
        const Status status = to_device
                                  ? call_->MemcpyHtoDAsync_v2(issued.memory->address(), issued.host,
                                                              bytes, issued.stream)
                                  : call_->MemcpyDtoHAsync_v2(issued.host, issued.memory->address(),
                                                              bytes, issued.stream);
        if (status != Status::Success)
            return refuse(status, to_device ? "cuMemcpyHtoDAsync_v2" : "cuMemcpyDtoHAsync_v2");
    }
    issued.called.latest = host_now();
    return record(issued.end, issued.stream);
}

Result<void> SchedulingRun::wait(Event event, const char* what) {
    const auto started = HostClock::now();
    for (;;) {
        const Status status = call_->EventQuery(event);
        if (status == Status::Success) return boost::outcome_v2::success();
        if (status != Status::NotReady) return refuse(status, what);
        if (HostClock::now() - started > session_->time_out()) return session_->give_up(what);
        std::this_thread::yield();
    }
}

Result<void> SchedulingRun::synchronize_clocks() {
    constexpr int samples = 16;
    auto memory = Buffer::make(session_, sizeof(BlockRecord));
    if (!memory) return memory.as_failure();
    auto base = make_event();
    if (!base) return base.as_failure();
    base_ = base.value();
    for (int sample = 0; sample < samples; ++sample) {
        BlockRecord block;
        const std::int64_t before = host_now();
        if (auto launched = launch(nullptr, {1, 32, 0}, memory.value().address(), 0); !launched)
            return launched;
        if (auto recorded = record(base_, nullptr); !recorded) return recorded;
        if (auto ended = wait(base_, "a kernel that reads the timer"); !ended) return ended;
        const std::int64_t after = host_now();
        if (const Status status = memory.value().read(&block); status != Status::Success)
            return refuse(status, "cuMemcpyDtoH_v2");
        const auto begin = static_cast<std::int64_t>(block.begin);
        const auto end = static_cast<std::int64_t>(block.end);
        const TimeRange offset{before - begin, after - end};
        if (block.end == 0 || end < begin || offset.latest < offset.earliest)
            return Failure{fmt::format("the nanosecond timer went from {} to {} within {} ns of "
                                       "the host",
                                       begin, end, after - before),
                           session_->name()};
        if (sample == 0) offset_ = offset;
        offset_.earliest = std::max(offset_.earliest, offset.earliest);
        offset_.latest = std::min(offset_.latest, offset.latest);
        if (offset_.latest < offset_.earliest)
            return Failure{"the nanosecond timer and the clock of the host drift apart",
                           session_->name()};
        zero_ = end;
        base_time_ = {0, after - offset_.earliest - end};
    }
    return boost::outcome_v2::success();
}

Result<TimeRange> SchedulingRun::time_of(Event event) {
    float milliseconds = 0.0F;
    if (const Status status = call_->EventElapsedTime(&milliseconds, base_, event);
        status != Status::Success)
        return refuse(status, "cuEventElapsedTime");
    const auto since = static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
    return TimeRange{base_time_.earliest + since, base_time_.latest + since};
}

Result<ObservedOperation> SchedulingRun::observe(const CardOperation& operation,
                                                 const Issued& issued) {
    ObservedOperation one{.kind = operation.kind,
                          .name = operation.name,
                          .stream = operation.stream,
                          .priority = operation.priority.value_or(0),
                          .issued = on_card(issued.called)};
    auto end = time_of(issued.end);
    if (!end) return end.as_failure();
    one.end = end.value();
    if (!one.is_launch()) {
        const auto head = time_of(issued.head);
        if (!head) return head.as_failure();
        one.begin.earliest =
            std::max(head.value().earliest, one.end.earliest - operation.duration.latest);
        one.begin.latest =
            std::max(one.begin.earliest, one.end.latest - operation.duration.earliest);
        return one;
    }
    one.threads = operation.geometry.threads;
    one.shared_memory = operation.geometry.shared_bytes;
    if (const auto registers = passing_time_->attribute(FunctionAttribute::NumRegs))
        one.registers = *registers;
    std::vector<BlockRecord> records(static_cast<std::size_t>(operation.geometry.blocks));
    if (const Status status = issued.memory->read(records.data()); status != Status::Success)
        return refuse(status, "cuMemcpyDtoH_v2");
    for (const BlockRecord& record : records) {
        if (record.end == 0)
            return Failure{fmt::format("block {} of '{}' left no record", &record - records.data(),
                                       operation.name),
                           session_->name()};
        one.blocks.push_back({static_cast<std::int64_t>(record.begin) - zero_,
                              static_cast<std::int64_t>(record.end) - zero_,
                              static_cast<std::int64_t>(record.multiprocessor),
                              static_cast<std::int64_t>(record.longest_gap)});
    }
    return one;
}

Result<ObservedWorkload> SchedulingRun::run(const std::vector<CardOperation>& operations) {
    std::vector<Issued> issued(operations.size());
    for (std::size_t i = 0; i < operations.size(); ++i)
        if (auto prepared = prepare(operations[i], issued[i]); !prepared)
            return prepared.as_failure();
    if (auto known = synchronize_clocks(); !known) return known.as_failure();
    const auto start = HostClock::now();
    for (std::size_t i = 0; i < operations.size(); ++i) {
        while (HostClock::now() < start + operations[i].call) {
        }
        if (auto called = issue(operations[i], issued[i]); !called) return called.as_failure();
    }
    ObservedWorkload observed;
    observed.unit = hypotheses::TimeUnit::Nanoseconds;
    observed.calls_in_order = true;
    for (const Issued& one : issued)
        if (auto ended = wait(one.end, "an experiment"); !ended) return ended.as_failure();
    for (std::size_t i = 0; i < operations.size(); ++i) {
        auto one = observe(operations[i], issued[i]);
        if (!one) return one.as_failure();
        observed.operations.push_back(std::move(one).value());
    }
    if (auto completed = complete(observed); !completed)
        return Failure{completed.error().what, session_->name()};
    return observed;
}

} // namespace

Result<std::string> passing_time_ptx(assembly::Target target) {
    auto header = ptx_header(target);
    if (!header) return header.as_failure();
    return header.value() + passing_time_body;
}

Result<ObservedWorkload> run_operations(const std::shared_ptr<Session>& session,
                                        const BuiltCode& passing_time,
                                        const std::vector<CardOperation>& operations) {
    if (session->lost()) return Failure{*session->lost(), session->name()};
    return SchedulingRun{session, passing_time}.run(operations);
}

} // namespace warpbound::harness::cuda
