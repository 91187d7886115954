#include "harness/devices/cuda/card_scheduling.hpp"

#include "harness/card_identity.hpp"
#include "harness/devices/cuda/scheduling_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpbound::harness::cuda {

namespace {

using hypotheses::Experiment;
using hypotheses::Filling;
using hypotheses::ObservedWorkload;
using hypotheses::PlannedOperation;

constexpr std::int64_t block_length = 2'000'000; ///< `Unit:` ns, likewise below.
constexpr std::int64_t allowed_latency = 500'000;
constexpr std::int64_t least_resolution = 10'000;
constexpr std::int64_t copy_bytes = std::int64_t{16} << 20U;
constexpr std::int64_t most_shared_memory = 48 * 1024;
constexpr std::int64_t most_threads = 1024;
constexpr std::int64_t warp_threads = 32;

class CardScheduling final : public hypotheses::SchedulingDevice {
public:
    explicit CardScheduling(std::shared_ptr<Session> session) : session_{std::move(session)} {}
    CardScheduling(const CardScheduling&) = delete;
    CardScheduling& operator=(const CardScheduling&) = delete;
    ~CardScheduling() override {
        const auto lock = session_->busy();
        code_.reset();
    }

    /// Builds the kernel and measures the timer.
    Result<void> prepare();
    Result<ObservedWorkload> run(const Experiment& experiment, std::uint64_t seed) override;
    [[nodiscard]] std::vector<std::string> notes() const override {
        std::vector<std::string> notes{
            fmt::format("times that differ by at most {} ns are not ordered; the timer advances in "
                        "steps of {} ns",
                        resolution_, timer_step_),
            fmt::format("an operation that may begin does so within {} ns", allowed_latency),
            fmt::format("a block that reads no time for {} ns was interrupted", block_length / 4)};
        if (copy_duration_ > 0)
            notes.push_back(fmt::format("a copy of {} bytes lasts between half and four times the "
                                        "{} ns that it lasts in isolation",
                                        copy_bytes, copy_duration_));
        return notes;
    }

private:
    Result<int> attribute(DeviceAttribute which) {
        int value = 0;
        const Status status =
            session_->call().DeviceGetAttribute(&value, which, session_->device().number);
        if (status != Status::Success) return session_->failure(status, "cuDeviceGetAttribute");
        return value;
    }
    Result<void> read_limits();
    Result<void> measure_timer();
    Result<void> measure_copy();
    /// The most and the least urgent priority. Refuses a driver that has only one.
    Result<std::pair<int, int>> priorities();
    Result<std::vector<CardOperation>> plan(const Experiment& experiment);
    [[nodiscard]] std::pair<LaunchGeometry, std::int64_t> block_of(Filling filling) const;

    std::shared_ptr<Session> session_;
    std::optional<BuiltCode> code_;
    hypotheses::MultiprocessorLimits limits_;
    std::optional<int> copy_engines_;
    std::int64_t timer_step_ = 0;
    std::int64_t resolution_ = least_resolution;
    std::int64_t copy_duration_ = 0; ///< In isolation; 0: not measured.
};

Result<void> CardScheduling::read_limits() {
    limits_.multiprocessors = session_->device().multiprocessors;
    for (const auto& [which, limit] :
         {std::pair{DeviceAttribute::MaxThreadsPerMultiprocessor, &limits_.threads},
          std::pair{DeviceAttribute::MaxBlocksPerMultiprocessor, &limits_.blocks},
          std::pair{DeviceAttribute::MaxRegistersPerMultiprocessor, &limits_.registers},
          std::pair{DeviceAttribute::MaxSharedMemoryPerMultiprocessor, &limits_.shared_memory}}) {
        const auto value = attribute(which);
        if (!value) return value.as_failure();
        if (value.value() > 0) *limit = value.value();
    }
    if (!limits_.threads || !limits_.blocks || !limits_.shared_memory)
        return Failure{"the driver does not say how many threads, blocks and bytes of shared "
                       "memory an SM has",
                       session_->name()};
    const auto engines = attribute(DeviceAttribute::AsyncEngineCount);
    if (!engines) return engines.as_failure();
    if (engines.value() > 0) copy_engines_ = engines.value();
    return boost::outcome_v2::success();
}

Result<void> CardScheduling::measure_timer() {
    auto memory = Buffer::make(session_, sizeof(BlockRecord));
    if (!memory) return memory.as_failure();
    Address records = memory.value().address();
    std::uint64_t length = block_length;
    std::array<void*, 2> arguments{&records, &length};
    const Launched launched = session_->launch(code_->function(), {}, arguments.data());
    if (launched.remark.anomaly != RunAnomaly::None)
        return Failure{launched.remark.text, session_->name()};
    BlockRecord record;
    if (const Status status = memory.value().read(&record); status != Status::Success)
        return session_->failure(status, "cuMemcpyDtoH_v2");
    constexpr std::int64_t coarse = block_length / 20;
    timer_step_ = static_cast<std::int64_t>(std::min<std::uint64_t>(record.least_gap, INT64_MAX));
    if (record.end <= record.begin || timer_step_ > coarse)
        return Failure{fmt::format("the nanosecond timer is too coarse: in a block of {} ns it "
                                   "advances in steps of {} ns; expected at most {}",
                                   block_length,
                                   record.end <= record.begin ? block_length : timer_step_, coarse),
                       session_->name()};
    resolution_ = std::max(least_resolution, 2 * timer_step_);
    return boost::outcome_v2::success();
}

Result<void> CardScheduling::prepare() {
    auto text = passing_time_ptx(session_->device().target);
    if (!text) return text.as_failure();
    const auto lock = session_->busy();
    auto code = BuiltCode::build(session_, text.value(), passing_time_entry);
    if (!code) return code.as_failure();
    code_.emplace(std::move(code).value());
    if (auto read = read_limits(); !read) return read;
    return measure_timer();
}

Result<std::pair<int, int>> CardScheduling::priorities() {
    const DriverFunctions& call = session_->call();
    if (call.CtxGetStreamPriorityRange == nullptr || call.StreamCreateWithPriority == nullptr)
        return Failure{"the driver has no priorities of streams: it lacks "
                       "cuCtxGetStreamPriorityRange or cuStreamCreateWithPriority",
                       session_->name()};
    int least = 0;
    int greatest = 0;
    if (const Status status = call.CtxGetStreamPriorityRange(&least, &greatest);
        status != Status::Success)
        return session_->failure(status, "cuCtxGetStreamPriorityRange");
    if (greatest >= least)
        return Failure{fmt::format("streams have one priority, {}", least), session_->name()};
    return std::pair{greatest, least};
}

std::pair<LaunchGeometry, std::int64_t> CardScheduling::block_of(Filling filling) const {
    LaunchGeometry geometry{1, warp_threads, 0};
    switch (filling) {
    case Filling::Threads:
        geometry.threads = std::max(warp_threads, std::min(most_threads, *limits_.threads / 2));
        return {geometry, *limits_.threads / geometry.threads};
    case Filling::SharedMemory:
        geometry.shared_bytes = std::min(most_shared_memory, *limits_.shared_memory * 2 / 5);
        return {geometry, *limits_.shared_memory / geometry.shared_bytes};
    case Filling::BlockSlots:
        break;
    }
    return {geometry, std::min(*limits_.blocks, *limits_.threads / warp_threads)};
}

/// Once, with the copy that experiments make.
Result<void> CardScheduling::measure_copy() {
    if (copy_duration_ > 0) return boost::outcome_v2::success();
    CardOperation copy{.kind = models::HostOperationKind::CopyToDevice,
                       .name = "copy",
                       .stream = 0,
                       .bytes = copy_bytes,
                       .duration = {0, INT64_MAX / 4}};
    std::int64_t longest = 0;
    for (int run = 0; run < 3; ++run) {
        const auto observed = run_operations(session_, *code_, {copy});
        if (!observed) return observed.as_failure();
        const auto& one = observed.value().operations.front();
        // Both times have the error of the base event; their difference has not.
        longest = std::max(longest, one.end.earliest - one.begin.earliest);
    }
    copy_duration_ = std::max<std::int64_t>(1, longest);
    return boost::outcome_v2::success();
}

Result<std::vector<CardOperation>> CardScheduling::plan(const Experiment& experiment) {
    const auto& planned = experiment.operations;
    std::optional<std::pair<int, int>> range;
    if (std::any_of(planned.begin(), planned.end(),
                    [](const PlannedOperation& one) { return one.is_urgent; })) {
        const auto known = priorities();
        if (!known) return known.as_failure();
        range = known.value();
    }
    std::vector<CardOperation> operations;
    for (const PlannedOperation& one : planned) {
        CardOperation operation{
            .kind = one.kind, .name = std::string{one.name}, .stream = one.stream};
        if (range) operation.priority = one.is_urgent ? range->first : range->second;
        operation.call = std::chrono::nanoseconds{std::llround(one.call * block_length)};
        if (one.kind == models::HostOperationKind::Launch) {
            const auto [geometry, room] = block_of(one.filling);
            operation.geometry = geometry;
            operation.geometry.blocks = std::max<std::int64_t>(
                1, std::llround(one.waves * static_cast<double>(room * *limits_.multiprocessors)));
            operation.length = static_cast<std::uint64_t>(std::llround(one.length * block_length));
        } else {
            if (auto measured = measure_copy(); !measured) return measured.as_failure();
            operation.bytes = copy_bytes;
            operation.duration = {copy_duration_ / 2, 4 * copy_duration_};
        }
        operations.push_back(std::move(operation));
    }
    return operations;
}

Result<ObservedWorkload> CardScheduling::run(const Experiment& experiment, std::uint64_t) {
    const auto lock = session_->busy();
    const auto operations = plan(experiment);
    if (!operations) return operations.as_failure();
    auto observed = run_operations(session_, *code_, operations.value());
    if (!observed) return observed;
    ObservedWorkload& run = observed.value();
    run.experiment = experiment.name;
    run.resolution = resolution_;
    run.latency = allowed_latency;
    run.interruption = block_length / 4;
    run.limits = limits_;
    run.copy_engines = copy_engines_;
    return observed;
}

} // namespace

Result<std::unique_ptr<hypotheses::SchedulingDevice>> card_scheduling(std::string_view name,
                                                                      DeviceIdentity& identity) {
    const auto card = read_card_name(name);
    if (!card) return card.as_failure();
    auto session = Session::open(Driver::load(), card.value().ordinal, card.value().time_out);
    if (!session) return session.as_failure();
    const auto& device = session.value()->device();
    identity = {session.value()->name(),
                card_detail(device.name, device.target, session.value()->driver().version())};
    auto scheduling = std::make_unique<CardScheduling>(session.value());
    if (auto prepared = scheduling->prepare(); !prepared) return prepared.as_failure();
    return std::unique_ptr<hypotheses::SchedulingDevice>{std::move(scheduling)};
}

} // namespace warpbound::harness::cuda
