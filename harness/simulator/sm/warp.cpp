#include "harness/simulator/sm/warp.hpp"

#include "harness/simulator/clock/component.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace warpbound::harness::simulator {

namespace {

/// Without the array of an initializer list, which costs more than the comparisons.
template <typename... Times> std::int64_t latest_of(std::int64_t first, Times... others) {
    ((first = std::max<std::int64_t>(first, others)), ...);
    return first;
}

} // namespace

Warp::Warp(const MachineShape& machine, const RunOptions& options, EventLog& log)
    : log_{&log}, looks_up_lines_{machine.instruction_caches},
      tracks_long_{machine.policy.kind == models::PolicyKind::TwoLevel},
      collects_{machine.register_file}, delivered_{machine.fetch ? machine.fetch->delivered : 0},
      random_{options.draw, RandomStream{options.seed, StreamOf::WarpTiming, 0}},
      options_{&options}, counter_delay_{machine.counter_delay}, ports_(machine.warp_ports) {}

Result<void> Warp::start(const Grid& grid, std::int64_t block, std::size_t in_block,
                         std::int64_t at) {
    code_ = grid.code;
    const auto warp = static_cast<std::int64_t>(in_block);
    number_of_warp_ = grid.first_warp + static_cast<int>(block * code_->demand.warps + warp);
    const auto stream = static_cast<std::uint64_t>(number_of_warp_);
    random_ =
        RandomSource{options_->draw, RandomStream{options_->seed, StreamOf::WarpTiming, stream}};
    auto instructions = InstructionStream::start(*code_, *options_, stream, block, warp);
    if (!instructions) return instructions.as_failure();
    stream_ = std::move(instructions.value());
    register_ready_.assign(code_->register_count, 0);
    counters_ = Counters{};
    counters_.releases.assign(assembly::scoreboard_count * code_->scoreboard_depth, 0);
    for (auto& operations : in_order_)
        operations.clear();
    unseen_ = false;
    deferred_ = false;
    if (tracks_long_) long_ready_.assign(code_->register_count, 0);
    executions_.assign(code_->accesses.size(), 0);
    std::fill(ports_.begin(), ports_.end(), Port{});
    observation_ = models::WarpObservation{};
    observation_.block = block;
    observation_.warp = warp;
    completion_ = 0;
    live_ = true;
    paired_ = false;
    waits_at_.reset();
    barrier_at_ = 0;
    constants_at_ = 0;
    since_ = at;
    gap_at_ = at;
    number_ = 0;
    instruction_ = stream_.stretch().first;
    last_of_stretch_ = stream_.stretch().last;
    buffered_ = 0;
    buffer_first_ = instruction_;
    wants_fetch_ = delivered_ > 0;
    wants_line_ = looks_up_lines_;
    prepare_next();
    return boost::outcome_v2::success();
}

void Warp::Counters::add_release(std::uint8_t scoreboard, std::int64_t at) {
    const std::size_t depth = releases.size() / assembly::scoreboard_count;
    const auto first = releases.begin() + static_cast<std::ptrdiff_t>(scoreboard * depth);
    for (std::size_t index = 0; index < depth; ++index) {
        auto& kept = *(first + static_cast<std::ptrdiff_t>(index));
        if (at > kept) std::swap(at, kept);
    }
}

std::int64_t Warp::Counters::clear_at(std::size_t scoreboard, std::size_t allowed) const {
    if (allowed < unknown[scoreboard]) return never;
    const std::size_t depth = releases.size() / assembly::scoreboard_count;
    return releases[scoreboard * depth + allowed - unknown[scoreboard]];
}

void Warp::keep_counters() {
    unseen_ =
        counter_delay_ && executes_ && (operation_->write_barrier || operation_->read_barrier);
    if (unseen_) before_increments_ = counters_;
}

void Warp::forget_unseen() {
    unseen_ = false;
    find_dependences();
}

void Warp::prepare_next() {
    const Operation& operation = code_->operations[instruction_];
    operation_ = &operation;
    find_lanes();
    passes_ = 1;
    occupancy_ = 0;
    port_at_ = 0;
    if (executes_) {
        if (operation.is_recorded) stream_.take_access();
        passes_ = operation.access ? counted_passes() : random_.draw(operation.passes);
        most_sectors_ = sectors_of_store();
        const std::int64_t initiation = random_.draw(operation.initiation);
        occupancy_ = std::max(operation.line_interval
                                  ? std::max(initiation, passes_ * random_.draw(line_interval()))
                                  : initiation * passes_,
                              random_.draw(operation.least_occupancy));
        if (operation.port.scope == models::UnitScope::Warp)
            port_at_ = ports_[operation.port.index].free_at;
    }
    if (operation.bank_reads.count > 0) choose_reads();
    if (delivered_ > 0) check_buffer();
    if (looks_up_lines_) fetched_at_ = wants_line_ ? never : 0;
    if (code_->machine.constants || code_->machine.operand_caches) find_constants();
    find_dependences();
}

void Warp::choose_reads() {
    const auto is_chosen = [&](bool is_open) { return !is_open || random_.draw(0, 1) == 1; };
    read_choice_.reads = is_chosen(!executes_);
    read_choice_.each_position = is_chosen(operation_->repeats_register);
    read_choice_.widest = is_chosen(operation_->has_unknown_width);
}

ReadPorts::Reader Warp::reader() const {
    const RegisterSpan& reads = operation_->bank_reads;
    return {.warp = number_of_warp_,
            .first = code_->bank_reads.data() + reads.first,
            .count = reads.count,
            .choice = reads.count > 0 ? read_choice_ : ReadChoice{executes_, true, true},
            .unit = std::nullopt,
            .occupancy = occupancy_};
}

void Warp::find_lanes() {
    const Operation& operation = *operation_;
    const LaneMask lanes = stream_.stretch().lanes;
    if (operation.execution != Execution::Guarded) {
        executing_lanes_ = operation.execution == Execution::Always ? lanes : 0;
    } else if (code_->recorded != nullptr) {
        executing_lanes_ = stream_.take_executing();
    } else if (operation.if_taken && !operation.may_diverge) {
        executing_lanes_ = stream_.transfers_next() == *operation.if_taken ? lanes : 0; // C9a
    } else {
        executing_lanes_ = random_.draw(0, 1) == 1 ? lanes : 0;
        if (executing_lanes_ != 0 && operation.may_diverge)
            executing_lanes_ =
                draw_lanes(executing_lanes_, random_.draw(1, count_of(executing_lanes_)), random_);
    }
    executes_ = executing_lanes_ != 0;
}

std::shared_ptr<const models::LaneAddresses> Warp::recorded_addresses() const {
    if (code_->recorded == nullptr) return nullptr;
    return std::make_shared<const models::LaneAddresses>(stream_.addresses(access().rule.bytes));
}

models::WarpAccess Warp::execution() const {
    return {.block = static_cast<std::uint64_t>(observation_.block),
            .warp = static_cast<std::uint64_t>(observation_.warp),
            .execution = executions_[*operation_->access]};
}

std::int64_t Warp::counted_passes() {
    if (code_->recorded == nullptr && access().same_passes && !code_->reconvergence)
        return operation_->passes.lo;
    const models::PassRange passes = models::possible_passes(
        access().rule, code_->recorded != nullptr
                           ? stream_.addresses(access().rule.bytes)
                           : addresses_of(access(), execution(), active_lanes()));
    return random_.draw(passes.lo, passes.hi);
}

std::int64_t Warp::sectors_of_store() const {
    const std::int64_t stated = operation_->most_sectors;
    const auto& drain = code_->machine.buffer_drain;
    if (stated == 0 || !drain || code_->recorded == nullptr || !operation_->access) return stated;
    if (drain->of_sector.lo > 0) return stated; // That they touch fewer is in the lower end.
    const auto of_line = static_cast<std::uint64_t>(drain->sectors_of_line);
    return std::min(stated, touched_sectors(access().rule.line / of_line).value_or(stated));
}

std::optional<std::int64_t> Warp::touched_sectors(std::uint64_t sector) const {
    const models::AccessRule& rule = access().rule;
    if (rule.line == 0 || !models::fit_together(rule.line, sector)) return std::nullopt;
    std::vector<models::TouchedLine> lines;
    models::coalesce(stream_.addresses(rule.bytes), rule.line, sector, lines);
    std::int64_t sectors = 0;
    for (const models::TouchedLine& line : lines)
        sectors += std::popcount(line.sectors);
    return sectors;
}

Range Warp::line_interval() const {
    Range each = *operation_->line_interval;
    const std::int64_t of_sector = operation_->sector_interval;
    if (of_sector == 0 || code_->recorded == nullptr || !operation_->access) return each;
    const auto sectors = touched_sectors(static_cast<std::uint64_t>(operation_->sector_bytes));
    if (!sectors) return each;
    const std::int64_t most = (of_sector * *sectors + passes_ - 1) / passes_;
    each.hi = std::max(each.lo, std::min(each.hi, most));
    if (each.typical) each.typical = std::min(*each.typical, each.hi);
    return each;
}

void Warp::find_dependences() {
    const Operation& operation = *operation_;
    registers_at_ = 0;
    const std::uint16_t* const registers = code_->registers.data() + operation.dependences.first;
    for (std::uint32_t i = 0; i < operation.dependences.count; ++i)
        registers_at_ = std::max(registers_at_, register_ready_[registers[i]]);
    scoreboards_at_ = 0;
    for (unsigned mask = operation.wait_mask, scoreboard = 0; mask != 0; mask >>= 1U, ++scoreboard)
        if ((mask & 1U) != 0 && scoreboard < assembly::scoreboard_count)
            scoreboards_at_ = std::max(scoreboards_at_, seen().clear_at(scoreboard, 0));
    for (const CountedWait& wait : operation.counted)
        scoreboards_at_ =
            std::max(scoreboards_at_,
                     seen().clear_at(wait.scoreboard, static_cast<std::size_t>(wait.limit)));
    if (tracks_long_) find_long_dependences();
    find_ready();
}

void Warp::find_ready() {
    other_conditions_at_ = never;
    if (waits_at_) {
        ready_at_ = never;
    } else if (wrong_path_) {
        ready_at_ = latest_of(gap_at_, barrier_at_, fetched_at_);
    } else {
        other_conditions_at_ =
            latest_of(gap_at_, barrier_at_, fetched_at_, registers_at_, scoreboards_at_, port_at_);
        ready_at_ = std::max(other_conditions_at_, constants_at_);
    }
}

void Warp::find_long_dependences() {
    const Operation& operation = *operation_;
    long_at_ = 0;
    for (std::uint32_t i = 0; i < operation.dependences.count; ++i)
        long_at_ =
            std::max(long_at_, long_ready_[code_->registers[operation.dependences.first + i]]);
    for (std::size_t scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
        if (((operation.wait_mask >> scoreboard) & 1U) != 0)
            long_at_ = std::max(long_at_, seen().long_clear_at(scoreboard));
    for (const CountedWait& wait : operation.counted)
        long_at_ = std::max(
            long_at_,
            std::min(seen().long_clear_at(wait.scoreboard),
                     seen().clear_at(wait.scoreboard, static_cast<std::size_t>(wait.limit))));
}

void Warp::release(std::int64_t at) {
    waits_at_.reset();
    barrier_at_ = at;
    find_ready();
}

StallEnds Warp::stalls(std::int64_t port_at, std::int64_t collector_at, std::int64_t buffer_at,
                       std::int64_t loads_at) const {
    StallEnds ends;
    ends[Stall::Gap] = gap_at_;
    ends[Stall::Barrier] = barrier_at_;
    ends[Stall::Fetch] = fetched_at_;
    ends[Stall::Register] = registers_at_;
    ends[Stall::Scoreboard] = scoreboards_at_;
    // Lines that were present in time caused no stall.
    if (constants_at_ > other_conditions_at_) ends[Stall::Constant] = constants_at_;
    ends[Stall::Port] = std::max(port_at, port_at_);
    ends[Stall::Collector] = collector_at;
    ends[Stall::WriteBuffer] = buffer_at;
    ends[Stall::LoadQueue] = loads_at;
    return ends;
}

void Warp::execute(std::int64_t now, std::int64_t lag) {
    const Operation& operation = *operation_;
    const std::int64_t reads_from = now + lag;
    const std::int64_t extra = passes_ - 1;
    std::int64_t latency = 0;
    std::int64_t delay = 0;
    const bool is_notified = operation.result_is_notified || operation.is_atomic;
    const bool is_deferred = collects_ || operation.queues;
    if (operation.queues) {
        entry_ = random_.draw(operation.entry);
        hand_over_interval_ = operation.hand_over_interval;
    }
    const bool waits_for_read = operation.queued_reads.count > 0;
    const bool is_expected = is_notified || is_deferred || operation.waits_for_write ||
                             (waits_for_read && operation.has_result);
    if (is_expected) expect_result();
    if (!operation.result_is_notified) {
        latency = random_.draw(operation.latency);
        delay = latency + extra * random_.draw(operation.pass_cost);
    }
    result_delay_ = delay;
    if (!is_expected) {
        completion_ = std::max(completion_, reads_from + delay);
        set_result(operation, reads_from + delay);
        if (log_->has_listener())
            log_->add(Completed{.cycle = reads_from + delay,
                                .warp = number_of_warp_,
                                .instruction = instruction_,
                                .number = number_});
    }
    std::optional<std::int64_t> source_read;
    if (operation.read_barrier || waits_for_read)
        source_read =
            random_.draw(operation.source_read) + extra * random_.draw(operation.pass_cost);
    if (is_deferred) {
        collect(delay, source_read);
    } else if (waits_for_read) {
        expect_read(*source_read);
    } else if (source_read) {
        const std::int64_t read = reads_from + *source_read;
        counters_.add_release(*operation.read_barrier, read);
        completion_ = std::max(completion_, read);
        if (log_->has_listener())
            log_->add(SourcesRead{.cycle = read,
                                  .warp = number_of_warp_,
                                  .instruction = instruction_,
                                  .number = number_});
    }
    if (operation.port.scope == models::UnitScope::Warp)
        ports_[operation.port.index].occupy(now, occupancy_);
    if (operation.reads_clock) {
        const models::Cycles value{now + latency};
        if (observation_.first_clock)
            observation_.last_clock = value;
        else
            observation_.first_clock = value;
    }
    if (operation.waits_at_barrier) waits_at_ = operation.barrier;
    if (operation.access) ++executions_[*operation.access];
}

bool Warp::advance(std::int64_t now) {
    const Range* gap = &operation_->gap;
    const std::size_t before = instruction_;
    bool transferred = false;
    if (instruction_ != last_of_stretch_) {
        ++instruction_;
    } else {
        stream_.advance();
        const Stretch& next = stream_.stretch();
        if (next.ends) return false;
        transferred = next.transferred;
        if (transferred) gap = &operation_->gap_taken;
        instruction_ = next.first;
        last_of_stretch_ = next.last;
    }
    wants_line_ =
        looks_up_lines_ && (transferred || code_->lines[instruction_] != code_->lines[before]);
    gap_at_ = now + random_.draw(*gap);
    paired_ = gap_at_ == now;
    return true;
}

void Warp::issue(std::int64_t now, const StallEnds& stalls, std::int64_t lag) {
    if (log_->has_listener())
        log_->add(Issued{.cycle = now,
                         .warp = number_of_warp_,
                         .block = stream_.stretch().block,
                         .instruction = instruction_,
                         .number = number_,
                         .lanes = stream_.stretch().lanes,
                         .executing = executing_lanes_,
                         .executed = executes_,
                         .passes = passes_,
                         .port_until = collects_ || operation_->queues ? now : now + occupancy_,
                         .since = since_,
                         .stalls = stalls});
    deferred_ = false;
    keep_counters();
    if (executes_) execute(now, lag);
    if (unseen_) unseen_until_ = now + random_.draw(*counter_delay_);
    barrier_at_ = 0;
    since_ = now + 1;
    ++number_;
    if (delivered_ > 0) {
        ++buffer_first_;
        wants_fetch_ = --buffered_ == 0;
    }
    if (advance(now)) {
        if (gap_at_ > unseen_until_) unseen_ = false;
        return prepare_next();
    }
    completion_ = std::max(completion_, now + 1);
    observation_.finished = models::Cycles{now};
    live_ = false;
    unseen_ = false;
    paired_ = false;
    wants_fetch_ = false;
    wants_line_ = false;
    wrong_path_ = false;
    ready_at_ = never;
    constants_at_ = 0;
    if (log_->has_listener()) log_->add(WarpEnded{.cycle = now, .warp = number_of_warp_});
}

} // namespace warpbound::harness::simulator
