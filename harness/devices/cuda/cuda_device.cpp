#include "harness/devices/cuda/cuda_device.hpp"

#include "harness/card_identity.hpp"
#include "harness/devices/cuda/built_code.hpp"
#include "harness/devices/cuda/cuda_copy.hpp"
#include "harness/devices/cuda/late_blocks.hpp"
#include "harness/devices/cuda/sequence_check.hpp"
#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/emission/ptx_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness::cuda {

namespace {

/// No checksum of a kernel equals it: checksums have the highest bit clear.
constexpr std::uint32_t never = 0x8000'0000;
/// How far the nanosecond timer may lag when a kernel reads it.
constexpr double timer_step_seconds = 1e-3;
constexpr double rate_error = 1.05;
constexpr unsigned char not_written = 0xff;
constexpr std::uint64_t no_clock = ~std::uint64_t{0};

/// The buffers of a kernel.
struct Buffers {
    Buffer records;
    Buffer kept;
    Buffer data;
    Buffer memory;
};

/// Memory for pointer chases: every element of each warp's walk holds the address of the next one;
/// the rest is zero.
std::vector<std::uint64_t> words_of_walks(const PtxWalk& walk, const Buffer& memory,
                                          std::int64_t memory_per_warp) {
    constexpr std::int64_t word = sizeof(std::uint64_t);
    std::vector<std::uint64_t> words(static_cast<std::size_t>(memory.bytes() / word), 0);
    for (std::int64_t warp = 0; warp < memory.bytes(); warp += memory_per_warp)
        for (std::int64_t element = 0; element < walk.footprint; element += walk.stride)
            words[static_cast<std::size_t>((warp + element) / word)] =
                memory.address() +
                static_cast<std::uint64_t>(warp + (element + walk.stride) % walk.footprint);
    return words;
}

Result<Buffers> make_buffers(const std::shared_ptr<Session>& session, const PtxKernel& ptx,
                             const models::Launch& launch) {
    const std::int64_t warps = launch.blocks * launch.warps_per_block(session->device().lanes);
    const auto make = [&](std::int64_t bytes) { return Buffer::make(session, bytes); };
    auto records = make(warps * static_cast<std::int64_t>(sizeof(WarpRecord)));
    if (!records) return records.as_failure();
    auto kept = make(launch.blocks * launch.threads * 4);
    if (!kept) return kept.as_failure();
    auto data = make(static_cast<std::int64_t>(ptx.data.size() * sizeof(std::uint64_t)));
    if (!data) return data.as_failure();
    auto memory = make(warps * ptx.memory_per_warp);
    if (!memory) return memory.as_failure();
    Status status = Status::Success;
    if (!ptx.data.empty()) status = data.value().write(ptx.data.data());
    if (status != Status::Success) return session->failure(status, "cuMemcpyHtoD_v2");
    status = memory.value().fill(0);
    if (status != Status::Success) return session->failure(status, "cuMemsetD8_v2");
    if (ptx.walk)
        status = memory.value().write(
            words_of_walks(*ptx.walk, memory.value(), ptx.memory_per_warp).data());
    if (status != Status::Success) return session->failure(status, "cuMemcpyHtoD_v2");
    return Buffers{std::move(records).value(), std::move(kept).value(), std::move(data).value(),
                   std::move(memory).value()};
}

class CudaKernel final : public PreparedKernel {
public:
    static Result<std::unique_ptr<PreparedKernel>>
    prepare(std::shared_ptr<Card> card, const PtxKernel& ptx, const models::Launch& launch) {
        auto kernel =
            std::unique_ptr<CudaKernel>{new CudaKernel{std::move(card), launch, ptx.semaphore}};
        if (auto rate = kernel->card_->require_rate(); !rate) return rate.as_failure();
        Session& session = *kernel->card_->session;
        const auto lock = session.busy();
        auto built = BuiltCode::build(kernel->card_->session, ptx.text, ptx.entry);
        if (!built) return built.as_failure();
        kernel->code_.emplace(std::move(built).value());
        if (auto fits = kernel->check_resources(ptx); !fits) return fits.as_failure();
        kernel->from_dram_ = ptx.from_dram;
        if (auto made = kernel->card_->prepare_eviction(ptx.from_dram); !made)
            return made.as_failure();
        auto buffers = make_buffers(kernel->card_->session, ptx, kernel->launch_);
        if (!buffers) return buffers.as_failure();
        kernel->buffers_.emplace(std::move(buffers).value());
        kernel->verdict_ = kernel->verdict_of(ptx);
        return std::unique_ptr<PreparedKernel>{std::move(kernel)};
    }
    CudaKernel(const CudaKernel&) = delete;
    CudaKernel& operator=(const CudaKernel&) = delete;
    ~CudaKernel() override {
        const auto lock = card_->session->busy();
        buffers_.reset();
        code_.reset();
    }

    Result<Outcome> run(const RunOptions& options) const override {
        if (auto taken = card_->check_options(options); !taken) return taken.as_failure();
        const auto lock = card_->session->busy();
        Outcome outcome;
        outcome.observation.seed = options.seed;
        const std::vector<WarpRecord> records = launch(outcome);
        if (!gives_times(outcome.remark.anomaly)) return outcome;
        const auto rate = card_->measured_rate();
        if (rate.remark.anomaly != RunAnomaly::None) {
            outcome.remark = rate.remark;
            return outcome;
        }
        if (auto clock = clock_anomaly(records, rate.hertz)) {
            outcome.remark = std::move(*clock);
            return outcome;
        }
        auto warps = warps_of(records);
        if (semaphore_)
            if (auto late = late_blocks(warps)) {
                outcome.remark = std::move(*late);
                return outcome;
            }
        outcome.observation.execution_time =
            models::Cycles{static_cast<std::int64_t>(seconds_ * rate.hertz)};
        outcome.observation.warps = std::move(warps);
        outcome.remark = remark_of(rate.hertz);
        return outcome;
    }

    [[nodiscard]] Result<void> supports(Quantity quantity) const override {
        if ((quantity == Quantity::ResidentBlocks) != semaphore_)
            return Failure{semaphore_ ? "its blocks wait for each other, and it has no times"
                                      : "its blocks do not wait for each other",
                           card_->session->name()};
        if (quantity == Quantity::CheckedRegion)
            return Failure{"the words that a kernel stores are observed on simulated devices only",
                           card_->session->name()};
        if (quantity == Quantity::Clocks && launch_.blocks > 1)
            return Failure{fmt::format("SMs have clocks of their own, and {} blocks may run on "
                                       "several; clocks are given for one block",
                                       launch_.blocks),
                           card_->session->name()};
        return boost::outcome_v2::success();
    }

    [[nodiscard]] Conditions conditions() const override {
        const auto lock = card_->session->busy();
        Conditions conditions{
            {"compiler", is_amd() ? "clang as an assembler"
                                  : "CUDA driver " + card_->session->driver().version()}};
        const auto add = [&](const char* name, FunctionAttribute attribute) {
            const auto value = card_->session->lost() ? std::nullopt : code_->attribute(attribute);
            conditions.emplace_back(name, value ? std::to_string(*value) : "unknown");
        };
        add("registers", FunctionAttribute::NumRegs);
        add("local-bytes", FunctionAttribute::LocalSizeBytes);
        if (semaphore_) conditions.emplace_back("blocks", std::to_string(launch_.blocks));
        conditions.emplace_back("sequence", verdict_.state == SequenceVerdict::State::Differs
                                                ? "differs: " + verdict_.text
                                                : verdict_.text);
        return conditions;
    }

private:
    /// The launch of a semaphore kernel states blocks per SM.
    CudaKernel(std::shared_ptr<Card> card, const models::Launch& launch, bool semaphore)
        : card_{std::move(card)}, launch_{launch}, semaphore_{semaphore} {
        if (semaphore) launch_.blocks *= card_->session->device().multiprocessors;
    }

    [[nodiscard]] bool is_amd() const { return card_->session->is_amd(); }

    /// Wavefronts of a block, each of which leaves a record.
    [[nodiscard]] std::int64_t records_per_block() const {
        return launch_.warps_per_block(card_->session->device().lanes);
    }

    [[nodiscard]] SequenceVerdict verdict_of(const PtxKernel& ptx) const {
        using enum SequenceVerdict::State;
        if (ptx.semaphore) return {Unverified, "unverified: nothing is timed"};
        // An assembler neither moves nor removes instructions.
        if (is_amd()) return {Verified, "as written, in assembly"};
        return check_sequence(code_->image(), ptx);
    }

    /// Checks that a block fits, and that the code uses the registers that the launch states.
    Result<void> check_resources(const PtxKernel& ptx) {
        const std::string& name = card_->session->name();
        const auto& device = card_->session->device();
        if (const auto most = code_->attribute(FunctionAttribute::MaxThreadsPerBlock);
            most && launch_.threads > *most)
            return Failure{fmt::format("the kernel was built for blocks of at most {} threads, and "
                                       "{} were asked for",
                                       *most, launch_.threads),
                           name};
        const auto registers = code_->attribute(FunctionAttribute::NumRegs);
        if (launch_.registers && registers != launch_.registers && !is_amd())
            return Failure{fmt::format("the compiler took {} registers of a thread, and {} were "
                                       "asked for",
                                       registers ? std::to_string(*registers) : "unknown",
                                       *launch_.registers),
                           name};
        shared_bytes_ = launch_.shared_memory.value_or(ptx.shared_bytes);
        if (shared_bytes_ < ptx.shared_bytes)
            return Failure{fmt::format("the kernel uses {} bytes of shared memory, and {} were "
                                       "asked for",
                                       ptx.shared_bytes, shared_bytes_),
                           name};
        const std::int64_t most = std::max(device.shared_bytes, device.most_shared_bytes);
        if (shared_bytes_ > most)
            return Failure{fmt::format("a block has at most {} bytes of shared memory, and {} were "
                                       "asked for",
                                       most, shared_bytes_),
                           name};
        const auto set = [&](FunctionAttribute attribute, std::int64_t value) -> Result<void> {
            const Status status = card_->session->call().FuncSetAttribute(
                code_->function(), attribute, static_cast<int>(value));
            if (status == Status::Success) return boost::outcome_v2::success();
            return card_->session->failure(status, "cuFuncSetAttribute");
        };
        // Otherwise the driver may give part of the combined L1 and shared memory to the L1.
        constexpr std::int64_t all_of_it = 100;
        if (semaphore_ && !is_amd())
            if (auto all = set(FunctionAttribute::PreferredSharedMemoryCarveout, all_of_it); !all)
                return all;
        if (shared_bytes_ <= device.shared_bytes || is_amd()) return boost::outcome_v2::success();
        return set(FunctionAttribute::MaxDynamicSharedSizeBytes, shared_bytes_);
    }

    /// The records of one launch, or a remark in the outcome that says why there are none.
    std::vector<WarpRecord> launch(Outcome& outcome) const {
        Session& session = *card_->session;
        if (session.lost()) {
            outcome.remark = {RunAnomaly::DeviceLost, *session.lost()};
            return {};
        }
        Status status = buffers_->records.fill(not_written);
        if (status == Status::Success && from_dram_) status = card_->evicting->fill(0);
        if (status == Status::Success && semaphore_) status = buffers_->memory.fill(0);
        if (status != Status::Success) {
            outcome.remark = session.anomaly(status, "cuMemsetD8_v2");
            return {};
        }
        std::array<Address, 4> addresses{buffers_->records.address(), buffers_->kept.address(),
                                         buffers_->data.address(), buffers_->memory.address()};
        std::uint32_t number = never;
        std::array<void*, 5> arguments{addresses.data(), &addresses[1], &addresses[2],
                                       &addresses[3], &number};
        Launched launched = session.launch(
            code_->function(), {launch_.blocks, launch_.threads, shared_bytes_}, arguments.data());
        outcome.remark = std::move(launched.remark);
        if (outcome.remark.anomaly != RunAnomaly::None) return {};
        seconds_ = launched.seconds;
        std::vector<WarpRecord> records(
            static_cast<std::size_t>(launch_.blocks * records_per_block()));
        status = buffers_->records.read(records.data());
        if (status != Status::Success) outcome.remark = session.anomaly(status, "cuMemcpyDtoH_v2");
        // Test the last clock: a pointer chase also writes the field of the first clock
        // (`ptx_emission`).
        const auto missing = std::find_if(records.begin(), records.end(), [](const auto& record) {
            return record.last_clock == no_clock;
        });
        if (status == Status::Success && missing != records.end())
            outcome.remark = {RunAnomaly::LaunchFailure,
                              fmt::format("warp {} left no record", missing - records.begin())};
        to_nanoseconds(records);
        return records;
    }

    /// The times of the records, which are those of the card's timer.
    void to_nanoseconds(std::vector<WarpRecord>& records) const {
        constexpr double of_second = 1e9;
        const double rate = card_->session->device().timer_rate;
        if (rate == of_second) return;
        const auto scaled = [&](std::uint64_t steps) {
            return static_cast<std::uint64_t>(static_cast<double>(steps) * of_second / rate);
        };
        for (auto& record : records) {
            record.nanoseconds_before = scaled(record.nanoseconds_before);
            record.nanoseconds_after = scaled(record.nanoseconds_after);
        }
    }

    /// Whether a clock that wraps may have done so in that time.
    [[nodiscard]] bool may_wrap(double seconds, double hertz) const {
        if (!is_amd()) return false;
        const auto dialect = amd_dialect(card_->session->device().target);
        return dialect && !dialect.value().has_memtime &&
               rate_error * hertz * seconds >= static_cast<double>(1U << shader_cycles_bits);
    }

    /// An anomaly if the clock values are impossible.
    [[nodiscard]] std::optional<Remark> clock_anomaly(const std::vector<WarpRecord>& records,
                                                      double hertz) const {
        for (std::size_t i = 0; i < records.size(); ++i) {
            const WarpRecord& record = records[i];
            if (record.last_clock < record.first_clock)
                return Remark{RunAnomaly::Clock,
                              fmt::format("the clock of warp {} went from {} to {}", i,
                                          record.first_clock, record.last_clock)};
            if (record.nanoseconds_after < record.nanoseconds_before)
                return Remark{RunAnomaly::Clock,
                              fmt::format("the timer of warp {} went from {} to {}", i,
                                          record.nanoseconds_before, record.nanoseconds_after)};
            const auto cycles = static_cast<double>(record.last_clock - record.first_clock);
            const double seconds =
                1e-9 * static_cast<double>(record.nanoseconds_after - record.nanoseconds_before);
            if (may_wrap(seconds, hertz))
                return Remark{RunAnomaly::Clock,
                              fmt::format("in {:.0f} ns the clock of warp {}, of {} bits, may have "
                                          "wrapped",
                                          1e9 * seconds, i, shader_cycles_bits)};
            if (cycles > rate_error * hertz * (seconds + timer_step_seconds))
                return Remark{RunAnomaly::Clock,
                              fmt::format("the clock of warp {} counted {:.0f} cycles in {:.0f} ns "
                                          "at {}",
                                          i, cycles, 1e9 * seconds, megahertz(hertz))};
        }
        return std::nullopt;
    }

    /// A wavefront of 64 lanes counts as two warps with equal times, as launches count them.
    [[nodiscard]] std::vector<models::WarpObservation>
    warps_of(const std::vector<WarpRecord>& records) const {
        const std::int64_t per_block = launch_.warps_per_block();
        constexpr int warp_lanes = 32;
        const std::int64_t halves = card_->session->device().lanes / warp_lanes;
        std::vector<models::WarpObservation> warps;
        for (const auto& record : records) {
            const auto first = models::Cycles{static_cast<std::int64_t>(record.first_clock)};
            const auto last = models::Cycles{static_cast<std::int64_t>(record.last_clock)};
            const auto block =
                static_cast<std::int64_t>(&record - records.data()) / records_per_block();
            for (std::int64_t half = 0; half < halves; ++half) {
                const auto number = static_cast<std::int64_t>(warps.size());
                if (number / per_block > block) break; // The last wavefront is half empty.
                warps.push_back({block, number % per_block,
                                 static_cast<std::int64_t>(record.multiprocessor), first, last,
                                 last});
            }
        }
        return warps;
    }

    /// The remark of a run with times.
    [[nodiscard]] Remark remark_of(double hertz) const {
        std::string slow = card_->slowness(hertz);
        if (verdict_.state == SequenceVerdict::State::Differs)
            return {RunAnomaly::Sequence,
                    verdict_.text + (slow.empty() ? "" : "; also throttled: " + slow)};
        if (!slow.empty()) return {RunAnomaly::Throttled, std::move(slow)};
        return {};
    }

    std::shared_ptr<Card> card_;
    models::Launch launch_;
    bool semaphore_ = false;
    std::int64_t shared_bytes_ = 0;
    bool from_dram_ = false;
    std::optional<BuiltCode> code_;
    std::optional<Buffers> buffers_;
    SequenceVerdict verdict_;
    mutable double seconds_ = 0.0; ///< Duration of the current run.
};

class CudaDevice final : public Device {
public:
    explicit CudaDevice(std::shared_ptr<Card> card) : card_{std::move(card)} {}

    [[nodiscard]] DeviceIdentity identity() const override {
        const auto& device = card_->session->device();
        return {card_->session->name(),
                card_detail(device.name, device.target, card_->session->driver().version())};
    }

    [[nodiscard]] Conditions conditions() const override {
        const auto& device = card_->session->device();
        Conditions conditions{{"name", device.name},
                              {"driver", card_->session->driver().version()},
                              {"ecc", !device.ecc   ? "unknown"
                                      : *device.ecc ? "on"
                                                    : "off"}};
        if (is_amd(device.target)) {
            conditions.emplace_back("processor", to_string(device.target));
            conditions.emplace_back("timer-rate",
                                    megahertz(device.timer_rate) +
                                        (device.timer_rate_is_assumed ? ", assumed" : ""));
        } else {
            conditions.emplace_back(
                "compute-capability",
                fmt::format("{}.{}", device.target.sm / 10, device.target.sm % 10));
        }
        for (auto& condition : card_->state.conditions())
            conditions.push_back(std::move(condition));
        const auto lock = card_->session->busy();
        const auto rate = card_->measured_rate();
        conditions.emplace_back("clock-rate", rate.remark.anomaly == RunAnomaly::None
                                                  ? megahertz(rate.hertz)
                                                  : "unknown: " + rate.remark.text);
        return conditions;
    }

    [[nodiscard]] Result<models::Architecture> machine() const override {
        models::Architecture machine;
        machine.name = card_->session->name();
        machine.title = card_->session->device().name;
        machine.target = card_->session->device().target;
        return machine;
    }

    [[nodiscard]] bool compiles() const override { return true; }
    [[nodiscard]] unsigned runs_at_once() const override { return 1; }

    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const override {
        if (kernel.copy) return prepare_copy(card_, *kernel.copy);
        if (kernel.ptx == nullptr)
            return Failure{card_->session->is_amd() ? "has no assembly of AMD"
                                                    : "has no PTX, which a card compiles",
                           card_->session->name()};
        return CudaKernel::prepare(card_, *kernel.ptx, kernel.launch);
    }

private:
    std::shared_ptr<Card> card_;
};

} // namespace

Result<std::unique_ptr<Device>> open_cuda_device(std::shared_ptr<const Driver> driver, int ordinal,
                                                 std::chrono::milliseconds time_out) {
    auto card = Card::open(std::move(driver), ordinal, time_out);
    if (!card) return card.as_failure();
    return std::unique_ptr<Device>{std::make_unique<CudaDevice>(std::move(card).value())};
}

} // namespace warpbound::harness::cuda
