#include "harness/simulator/decode/translation.hpp"

#include "harness/recorded_launch.hpp"
#include "harness/simulator/decode/architecture_values.hpp"
#include "harness/simulator/decode/memory_shape.hpp"
#include "harness/simulator/decode/occupancy_limit.hpp"
#include "harness/simulator/decode/operation_code.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/facts/barrier_rule.hpp"
#include "models/kernel/counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

/// Builds the code of one kernel.
class KernelTranslator {
public:
    KernelTranslator(const models::Architecture& architecture, const Kernel& kernel,
                     const models::WarpPolicy& policy, std::int64_t multiprocessors,
                     std::int64_t other_blocks)
        : architecture_{architecture}, kernel_{kernel}, multiprocessors_{multiprocessors},
          other_blocks_{other_blocks} {
        code_.machine.policy = policy;
    }

    Result<KernelCode> translate();

private:
    Result<void> add_geometry();
    Result<void> add_launch();
    Result<void> add_waves(std::int64_t slots);
    std::vector<PortName> add_ports();
    Result<void> add_pipeline();
    /// Refuses scoreboards of which too much would be outstanding on a path of a thread (C85).
    [[nodiscard]] Result<void> check_counters() const;
    Result<void> add_instructions();
    Result<void> add_memory();
    Result<void> add_write_buffer();
    Result<void> add_paths();
    Result<void> add_reconvergence();
    /// Whether a warp may issue the instruction, which is in the block.
    [[nodiscard]] bool visits(std::size_t block, std::size_t index) const {
        return kernel_.recorded != nullptr ? kernel_.recorded->issues(index)
                                           : code_.paths.visits(block);
    }

    template <typename Property> [[nodiscard]] bool any_operation(Property property) const;

    const models::Architecture& architecture_;
    const Kernel& kernel_;
    std::int64_t multiprocessors_;
    std::int64_t other_blocks_;
    KernelCode code_;
};

template <typename Property> bool KernelTranslator::any_operation(Property property) const {
    return std::any_of(code_.operations.begin(), code_.operations.end(), property);
}

Result<void> KernelTranslator::add_geometry() {
    ArchitectureValues values{architecture_};
    const ArchitectureValues::Group geometry{&architecture_.geometry, "geometry"};
    const ArchitectureValues::Group schedulers{&architecture_.schedulers, "schedulers"};
    const auto most =
        multiprocessors_ == 1 ? std::size_t{1} : values.count(geometry, "multiprocessors");
    values.expect(multiprocessors_ >= 1 && multiprocessors_ <= static_cast<std::int64_t>(most),
                  fmt::format("{} SMs; expected 1 to geometry/multiprocessors, which is {}",
                              multiprocessors_, most));
    code_.machine.multiprocessors = static_cast<std::size_t>(multiprocessors_);
    code_.warp_size = values.number(geometry, "warp-size", 1, count_limit);
    code_.machine.schedulers = values.count(schedulers, "count");
    code_.machine.issue_slot = values.range(schedulers, "issue-slot", 1);
    if (architecture_.schedulers.find("counter-delay") != nullptr)
        code_.machine.counter_delay = values.range(schedulers, "counter-delay", 0, 1);
    if (values.failure()) return *values.failure();
    return boost::outcome_v2::success();
}

Result<void> KernelTranslator::add_launch() {
    constexpr std::int64_t warp_limit = std::int64_t{1} << 20U;
    const models::Launch& launch = kernel_.launch;
    if (launch.blocks < 1 || launch.threads < 1 || launch.blocks > warp_limit ||
        launch.threads > warp_limit)
        return Failure{fmt::format("launch {}x{}: expected at least one block of one thread and at "
                                   "most {} of each",
                                   launch.blocks, launch.threads, warp_limit),
                       "", 0, 0};
    if (const std::int64_t warps = launch.blocks * launch.warps_per_block(code_.warp_size);
        warps > warp_limit)
        return Failure{fmt::format("a launch of {} warps; the simulated device runs at most {}",
                                   warps, warp_limit),
                       "", 0, 0};
    code_.threads = launch.threads;
    code_.blocks = launch.blocks;
    const auto limit = occupancy_limit_of(architecture_, launch, *kernel_.function, code_.warp_size,
                                          launch.blocks + other_blocks_ > 1);
    if (!limit) return limit.as_failure();
    code_.demand = limit.value().demand;
    code_.machine.capacity = limit.value().capacity;
    std::int64_t slots = limit.value().slots;
    ArchitectureValues values{architecture_};
    const models::SourcedValue* most_room = architecture_.blocks.find("most-room");
    code_.machine.places_by_room = most_room != nullptr && most_room->interval &&
                                   values.flag({&architecture_.blocks, "blocks"}, "most-room");
    if (values.failure()) return *values.failure();
    // All start at once: no SM gets more blocks than an even share (C98). Blocks of another launch
    // may leave less room on the other SMs.
    if (code_.machine.places_by_room && other_blocks_ == 0 &&
        launch.blocks <= slots * multiprocessors_)
        slots = (launch.blocks + multiprocessors_ - 1) / multiprocessors_;
    code_.machine.warp_slots = slots * code_.demand.warps;
    return add_waves(slots);
}

/// Blocks beyond the block slots replace earlier ones.
Result<void> KernelTranslator::add_waves(std::int64_t slots) {
    if (code_.blocks <= slots * multiprocessors_) return boost::outcome_v2::success();
    ArchitectureValues values{architecture_};
    const ArchitectureValues::Group blocks{&architecture_.blocks, "blocks"};
    code_.machine.replacement = values.range(blocks, "replacement");
    code_.machine.start = values.range(blocks, "start");
    if (values.failure()) return *values.failure();
    return boost::outcome_v2::success();
}

std::vector<PortName> KernelTranslator::add_ports() {
    std::vector<PortName> ports;
    for (const models::Unit& unit : architecture_.units) {
        std::size_t& count = unit.scope == models::UnitScope::Warp ? code_.machine.warp_ports
                             : unit.scope == models::UnitScope::Partition
                                 ? code_.machine.partition_ports
                                 : code_.machine.core_ports;
        ports.push_back(PortName{unit.scope, count++});
    }
    return ports;
}

Result<void> KernelTranslator::add_pipeline() {
    const auto fetch = fetch_of(architecture_);
    if (!fetch) return fetch.as_failure();
    code_.machine.fetch = fetch.value();
    if (const auto& of_ports = code_.machine.fetch)
        code_.lines = lines_of(*kernel_.function, of_ports->cache ? of_ports->cache->line : 1);
    const auto caches = instruction_caches_of(architecture_);
    if (!caches) return caches.as_failure();
    code_.machine.instruction_caches = caches.value();
    if (auto& described = code_.machine.instruction_caches) {
        code_.lines = lines_of(*kernel_.function, described->line);
        if (described->is_warm && !code_.lines.empty())
            described->entered.assign(code_.lines.begin(), code_.lines.end() - 1);
    }
    const auto constants = constants_of(architecture_);
    if (!constants) return constants.as_failure();
    code_.machine.constants = constants.value();
    const auto operands = operand_caches_of(architecture_);
    if (!operands) return operands.as_failure();
    code_.machine.operand_caches = operands.value();
    auto file = register_file_of(architecture_, code_.machine.schedulers);
    if (!file) return file.as_failure();
    code_.machine.register_file = std::move(file.value());
    const auto ports = read_ports_of(architecture_);
    if (!ports) return ports.as_failure();
    code_.machine.read_ports = ports.value();
    const auto queue = memory_queue_of(architecture_);
    if (!queue) return queue.as_failure();
    code_.machine.memory_queue = queue.value();
    return boost::outcome_v2::success();
}

Result<void> KernelTranslator::check_counters() const {
    std::vector<models::BlockOfCounters> blocks;
    for (const assembly::BasicBlock& block : kernel_.graph->blocks) {
        blocks.push_back({block.first, block.last});
        for (const std::size_t edge : block.out)
            blocks.back().next.push_back(kernel_.graph->edges[edge].to);
    }
    return models::check_counters(*kernel_.function, architecture_, blocks);
}

Result<void> KernelTranslator::add_instructions() {
    const assembly::Function& function = *kernel_.function;
    if (auto fit = check_counters(); !fit) return fit.as_failure();
    const auto timings = models::instruction_timings(function, architecture_, *kernel_.facts,
                                                     kernel_.launch.threads);
    OperationTranslator operations{architecture_, kernel_, add_ports(), code_};
    code_.operations.resize(function.instructions.size());
    std::vector<bool> translated(function.instructions.size(), false);
    for (std::size_t block = 0; block < kernel_.graph->blocks.size(); ++block) {
        const assembly::BasicBlock& basic = kernel_.graph->blocks[block];
        for (std::size_t index = basic.first; index <= basic.last; ++index) {
            if (translated[index] || !visits(block, index)) continue;
            translated[index] = true;
            auto timing = timings[index];
            if (timing && kernel_.recorded != nullptr &&
                has_recorded_addresses(function.instructions[index]))
                timing =
                    recorded_timing(function.instructions[index], architecture_, timing.value());
            if (!timing) return timing.as_failure();
            auto operation = operations.translate(basic, index, timing.value());
            if (!operation) return operation.as_failure();
            code_.operations[index] = operation.value();
        }
    }
    code_.register_count = operations.register_count();
    if (auto& operands = code_.machine.operand_caches; operands && operands->is_warm)
        operands->entered = code_.constant_lines;
    return boost::outcome_v2::success();
}

Result<void> KernelTranslator::add_memory() {
    if (any_operation([](const Operation& operation) { return operation.is_atomic; }))
        code_.machine.atomics = read_atomic_shape(architecture_);
    if (!any_operation([](const Operation& operation) { return operation.through_caches; }))
        return boost::outcome_v2::success();
    auto memory = read_memory_shape(architecture_);
    if (!memory) return memory.as_failure();
    code_.machine.memory = memory.value();
    if (code_.machine
            .register_file) // Accesses allocate their entries when they enter their units (C49).
        for (Operation& operation : code_.operations)
            operation.needs_entry_at_issue = false;
    return boost::outcome_v2::success();
}

Result<void> KernelTranslator::add_write_buffer() {
    if (!any_operation([](const Operation& operation) { return operation.enters_write_buffer; }))
        return boost::outcome_v2::success();
    ArchitectureValues values{architecture_};
    const ArchitectureValues::Group buffer{&architecture_.write_buffer, "write-buffer"};
    code_.machine.buffer_entries = values.range(buffer, "entries", 1, count_limit);
    DrainShape drain;
    drain.of_transaction = values.range(buffer, "drain");
    if (architecture_.write_buffer.find("sector-drain") != nullptr) {
        const ArchitectureValues::Group l1{architecture_.memory("l1"), "memories/l1"};
        const auto line = static_cast<std::int64_t>(values.bytes(l1, "line"));
        const auto sector = static_cast<std::int64_t>(values.bytes(l1, "sector"));
        drain.of_sector = values.range(buffer, "sector-drain");
        drain.sectors_of_line = std::max<std::int64_t>(1, line / std::max<std::int64_t>(1, sector));
    }
    code_.machine.buffer_drain = drain;
    if (values.failure()) return *values.failure();
    return boost::outcome_v2::success();
}

Result<void> KernelTranslator::add_paths() {
    code_.graph = kernel_.graph;
    code_.recorded = kernel_.recorded;
    if (code_.recorded != nullptr) return boost::outcome_v2::success();
    const models::BarrierRule rule =
        models::barrier_rule(*kernel_.function, *kernel_.graph, *kernel_.facts);
    auto paths = PathChooser::make(*kernel_.graph, *kernel_.facts, rule.decides);
    if (!paths) return paths.as_failure();
    code_.paths = std::move(paths.value());
    if (!kernel_.facts->representative) return boost::outcome_v2::success();
    auto representatives =
        PathChooser::of_representatives(*kernel_.graph, *kernel_.facts, rule.decides);
    if (!representatives) return representatives.as_failure();
    code_.of_representatives = std::move(representatives.value());
    code_.representative = kernel_.facts->representative;
    code_.grid = kernel_.launch.grid;
    return boost::outcome_v2::success();
}

Result<void> KernelTranslator::add_reconvergence() {
    if (code_.recorded != nullptr && code_.warp_size != recorded_lane_count)
        return Failure{fmt::format("geometry/warp-size is {}; a recorded launch has warps of {}",
                                   code_.warp_size, recorded_lane_count),
                       architecture_.name, 0, 0};
    if (kernel_.facts->divergents.empty()) return boost::outcome_v2::success();
    if (code_.warp_size > lane_limit)
        return Failure{fmt::format("geometry/warp-size is {}; diverging lanes are simulated in "
                                   "warps of at most {}",
                                   code_.warp_size, lane_limit),
                       architecture_.name, 0, 0};
    std::vector<bool> visited;
    for (std::size_t block = 0; block < kernel_.graph->blocks.size(); ++block)
        visited.push_back(code_.paths.visits(block));
    auto found = find_reconvergence_points(kernel_, visited);
    if (!found) return found.as_failure();
    for (std::size_t index = 0; index < code_.operations.size(); ++index)
        code_.operations[index].may_diverge = found.value().may_diverge[index];
    code_.reconvergence = std::move(found.value());
    return boost::outcome_v2::success();
}

Result<KernelCode> KernelTranslator::translate() {
    for (const auto step :
         {&KernelTranslator::add_paths, &KernelTranslator::add_geometry,
          &KernelTranslator::add_launch, &KernelTranslator::add_pipeline,
          &KernelTranslator::add_instructions, &KernelTranslator::add_memory,
          &KernelTranslator::add_write_buffer, &KernelTranslator::add_reconvergence})
        if (const auto added = (this->*step)(); !added) return added.as_failure();
    return std::move(code_);
}

} // namespace

Result<KernelCode> translate(const models::Architecture& architecture, const Kernel& kernel,
                             const models::WarpPolicy& policy, std::int64_t multiprocessors,
                             std::int64_t other_blocks) {
    return KernelTranslator{architecture, kernel, policy, multiprocessors, other_blocks}
        .translate();
}

} // namespace warpbound::harness::simulator
