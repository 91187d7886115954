#include "harness/suite/suites.hpp"

#include "assembly/amd/processor.hpp"
#include "harness/suite/amd/amd_emission.hpp"
#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/amd/amd_semaphore.hpp"
#include "harness/suite/benchmarks/catalogue.hpp"
#include "harness/suite/benchmarks/stated_benchmarks.hpp"
#include "harness/suite/emission/ptx_semaphore.hpp"
#include "harness/suite/emission/stated_emission.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

constexpr const char* kernel_name = "timed_region";
constexpr std::int64_t most_threads = 1024; ///< Of a block.

models::Launch launch_of(const Axes& axes, std::int64_t lanes) {
    models::Launch launch{axis_value(axes, "blocks", 1), lanes * axis_value(axes, "warps", 1)};
    const auto stated = [&](std::string_view axis) {
        const std::int64_t value = axis_value(axes, axis, 0);
        return value > 0 ? std::optional{value} : std::nullopt;
    };
    launch.registers = stated("registers");
    launch.shared_memory = stated("shared-memory");
    return launch;
}

/// Lanes of a warp of the machine: those of AMD's generated code, else as described, else 32.
std::int64_t lanes_of(const models::Architecture& architecture) {
    if (const auto dialect = amd_dialect(architecture.target)) return dialect.value().lanes;
    const models::SourcedValue* const size = architecture.geometry.find("warp-size");
    return size != nullptr && size->interval ? size->interval->lo : 32;
}

/// A point without listing and PTX. `lanes`: of a warp or wavefront.
BenchmarkPoint planned_point(const Benchmark& benchmark, Axes axes,
                             const models::Architecture& architecture, std::int64_t lanes = 32) {
    BenchmarkPoint point;
    point.benchmark = benchmark.name;
    point.name = benchmark.name;
    for (const auto& [name, value] : axes)
        point.name += fmt::format("/{}={}", name, value);
    point.launch = launch_of(axes, lanes);
    point.quantity = benchmark.quantity;
    point.most_runs = benchmark.most_runs;
    point.adds_to_empty = benchmark.adds_to_empty;
    point.is_stated = benchmark.stated;
    if (benchmark.copies)
        point.copy = Copy{*benchmark.copies, axis_value(axes, "bytes", 1)};
    else
        point.region = benchmark.region(axes, architecture);
    point.axes = std::move(axes);
    point.facts.kernel = kernel_name;
    return point;
}

/// The text of a copy point names the copy, for every device; no code is generated.
void write_copy(BenchmarkPoint& point) {
    point.text = to_string(*point.copy) + "\n";
    point.facts.program_digest = assembly::digest_of(point.text);
}

/// The machine whose form of listing a simulated machine runs: that of sm_20 on AMD's, whose code
/// is not written for them.
models::Architecture with_form(models::Architecture machine) {
    if (is_amd(machine.target)) machine.target = {20};
    return machine;
}

/// Names AMD's targets, so that digests of their listings differ.
std::string kernel_name_on(assembly::Target target) {
    return is_amd(target) ? fmt::format("{}_{}", kernel_name, to_string(target)) : kernel_name;
}

/// The text of the operations on the machine; of a stated benchmark whatever its values.
Result<EmittedKernel> emit_for(const BenchmarkPoint& point,
                               const std::vector<Operation>& operations,
                               const models::Architecture& architecture) {
    if (!point.is_stated) return emit(point.facts.kernel, operations, architecture);
    // Operations that contend write a register again long after its result has arrived.
    const bool contends = point.benchmark.starts_with(fmt::format("{}crowd-", stated_prefix));
    return emit_stated(kernel_name, operations, architecture.target,
                       contends ? Protection::Reads : Protection::Accesses);
}

Result<void> write_listing(BenchmarkPoint& point, const models::Architecture& architecture) {
    const bool old =
        !point.is_stated && architecture.issue_control == models::IssueControl::Interlocked;
    const auto clock = [&](int destination) {
        return Operation{fmt::format("S2R R{}, {}", destination, old ? "SR_ClockLo" : "SR_CLOCKLO"),
                         OpcodeClass::ClockRead,
                         destination,
                         {}};
    };
    // Fermi's clock register counts every other cycle: as V14, double its value.
    const auto doubled = [&](int reg) {
        return Operation{old ? fmt::format("SHL.W R{0}, R{0}, 0x1", reg)
                             : fmt::format("MOV R{0}, R{0}", reg),
                         old ? OpcodeClass::Shift : OpcodeClass::Move,
                         reg,
                         {reg}};
    };
    std::vector<Operation> operations = point.region.before;
    operations.push_back(clock(0));
    operations.push_back(doubled(0));
    const std::size_t body = operations.size();
    operations.insert(operations.end(), point.region.timed.begin(), point.region.timed.end());
    const std::size_t back = operations.size();
    const bool loops = point.region.trips > 1;
    const auto branch_to = [](std::int64_t address) {
        return Operation{fmt::format("@P0 BRA 0x{:x}", address), OpcodeClass::Branch, -1, {}};
    };
    if (loops) operations.push_back(branch_to(0));
    operations.push_back(clock(1));
    operations.push_back(doubled(1));
    operations.push_back({"EXIT", OpcodeClass::Exit, -1, {}});
    auto emitted = emit_for(point, operations, architecture);
    if (emitted && loops) {
        // The address of the body is known only after all instructions are emitted.
        const std::int64_t header = emitted.value().addresses[body];
        operations[back] = branch_to(header);
        emitted = emit_for(point, operations, architecture);
        point.facts.loops.push_back({header, point.region.trips, point.region.trips, {}});
    }
    if (!emitted) return emitted.as_failure();
    point.text = emitted.value().text;
    point.facts.program_digest = assembly::digest_of(point.text);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (!operations[i].fact) continue;
        point.facts.memory.push_back(*operations[i].fact);
        point.facts.memory.back().at = emitted.value().addresses[i];
    }
    return boost::outcome_v2::success();
}

Result<void> write_ptx(BenchmarkPoint& point, assembly::Target target) {
    std::vector<Operation> timed = point.region.timed;
    timed.insert(timed.end(), point.region.closing.begin(), point.region.closing.end());
    auto kernel =
        point.region.semaphore
            ? emit_semaphore(kernel_name, target, *point.launch.registers)
            : emit_ptx(kernel_name, point.region.before, timed, target, point.region.trips);
    if (!kernel) {
        Failure why = kernel.error();
        why.where = point.name;
        return why;
    }
    point.ptx = std::move(kernel).value();
    point.facts.program_digest = assembly::digest_of(point.ptx->text);
    return boost::outcome_v2::success();
}

/// Of blocks that wait for each other: states their registers where the point does not. False: it
/// states fewer than their code takes.
bool takes_registers(BenchmarkPoint& point) {
    if (!point.region.semaphore) return true;
    auto& registers = point.launch.registers;
    if (!registers) registers = least_semaphore_registers;
    return *registers >= least_semaphore_registers;
}

Result<void> write_amd(BenchmarkPoint& point, assembly::Target target) {
    const auto located = [&](Failure why) {
        why.where = point.name;
        return why;
    };
    auto kernel = point.region.semaphore
                      ? emit_amd_semaphore(kernel_name, target, *point.launch.registers)
                      : emit_amd(kernel_name, point.region.before, point.region.timed, target,
                                 point.region.trips, point.launch.registers.value_or(1));
    if (!kernel) return located(kernel.error());
    point.ptx = std::move(kernel).value();
    point.facts.program_digest = assembly::digest_of(point.ptx->text);
    return boost::outcome_v2::success();
}

std::vector<Suite> define_suites() {
    std::vector<std::string> every;
    std::vector<std::string> calibrating;
    for (const auto& benchmark : benchmarks()) {
        every.push_back(benchmark.name);
        if (!benchmark.calibrates.empty()) calibrating.push_back(benchmark.name);
    }
    std::vector<std::string> stated;
    for (const auto& benchmark : benchmarks_of_encoded_machines())
        stated.push_back(benchmark.name);
    return {
        {"residence",
         "Occupancy limits of an SM: warps, blocks, registers, shared memory",
         {"resident-warps", "resident-registers", "resident-shared-memory"}},
        {"quick",
         "A first look: chains of additions, pairs over warps, shared loads",
         {"empty-region", "independent-add", "dependent-add", "dependent-pair", "shared-load"}},
        {"voudouris-2014",
         "The experiments of V14: Tables 2 to 4, 7, 19 and 20, Figures 17 to 30",
         {"empty-region", "independent-add", "independent-mul", "independent-mad",
          "independent-cos", "dependent-add", "dependent-mul", "dependent-mad", "dependent-cos",
          "independent-pair", "dependent-pair", "dependent-mad-add", "shared-load", "shared-store",
          "shared-pairs", "bank-conflict", "global-load", "global-store"}},
        {"gpudiag-2023",
         "The experiments of G23: what an SM holds, sharing of units, number of SMs; `--limits` "
         "shows those of launches",
         {"resident-warps", "resident-registers", "resident-shared-memory", "unit-add", "unit-mul",
          "unit-mad", "unit-cos", "multiprocessors", "warps-add", "bandwidth"}},
        {"gajger-2017",
         "The experiments of G17: launches, latencies, copies, saxpy by intensity, occupancy "
         "and size",
         {"launch-size", "block-replacement", "dependent-add", "dependent-mad", "result-l1",
          "result-l2", "result-dram", "branch-taken", "branch-not-taken", "global-transactions",
          "copy-to-device", "copy-from-device", "saxpy", "saxpy-occupancy", "saxpy-size"}},
        {"taylor-li-2010",
         "The experiments of T10: operations for each fetch, inputs, outputs, registers, size",
         {"alu-fetch-ratio", "alu-fetch-ratio-wide", "read-latency", "read-latency-wide",
          "write-latency", "register-usage", "clause-usage", "domain-size", "full-fetch-ratio",
          "full-fetch-ratio-wide", "full-read-latency", "full-read-latency-wide",
          "full-write-latency", "full-register-usage"}},
        {"calibration", "The benchmarks from which `calibrate` reads values of a description",
         calibrating},
        {"calibration-encoded",
         "The same for machines with encoded issue control: every control field is stated", stated},
        {"contract",
         "What `contract` holds against the rules of the timing contract",
         {"resident-warps", "switched-off", "contract-chain-add", "contract-chain-mul",
          "contract-chain-mad", "contract-chain-cos", "contract-independent", "contract-port-add",
          "contract-port-cos", "contract-barrier", "contract-conflict", "contract-stores",
          "contract-chase", "contract-registers", "contract-shared-memory"}},
        {"full", "Every benchmark", every}};
}

Result<const Benchmark*> benchmark_of(std::string_view name) {
    for (const auto* list : {&benchmarks(), &benchmarks_of_encoded_machines()})
        for (const auto& known : *list)
            if (known.name == name) return &known;
    constexpr std::size_t most_named = 12;
    std::vector<std::string> alike;
    for (const auto& known : benchmarks())
        if (alike.size() < most_named && known.name.find(name) != std::string::npos)
            alike.push_back(known.name);
    return Failure{fmt::format("no benchmark '{}'; `warpbound measure --list` shows all {}{}", name,
                               benchmarks().size(),
                               alike.empty() ? ""
                                             : fmt::format(", with that in their names {}",
                                                           fmt::join(alike, ", "))),
                   "measure"};
}

/// All combinations of the axes, the last axis varying fastest.
std::vector<Axes> combinations_of(const Benchmark& benchmark) {
    std::vector<Axes> combinations{{}};
    for (const auto& [name, values] : benchmark.axes) {
        std::vector<Axes> longer;
        for (const auto& combination : combinations)
            for (const std::int64_t value : values) {
                longer.push_back(combination);
                longer.back().emplace_back(name, value);
            }
        combinations = std::move(longer);
    }
    return combinations;
}

} // namespace

const std::vector<Benchmark>& benchmarks() {
    static const std::vector<Benchmark> all = [] {
        std::vector<Benchmark> every;
        for (auto& part : {published_benchmarks(), issue_benchmarks(), memory_benchmarks(),
                           alu_fetch_benchmarks(), launch_benchmarks(), copy_benchmarks(),
                           calibration_benchmarks(), cache_benchmarks(), store_benchmarks(),
                           contract_benchmarks()})
            every.insert(every.end(), part.begin(), part.end());
        return every;
    }();
    return all;
}

const std::vector<Benchmark>& benchmarks_of_encoded_machines() {
    static const std::vector<Benchmark> all = stated_benchmarks(benchmarks());
    return all;
}

const std::vector<Suite>& suites() {
    static const std::vector<Suite> all = define_suites();
    return all;
}

Result<std::vector<BenchmarkPoint>> points_of(std::string_view benchmark,
                                              const models::Architecture& architecture) {
    const auto found = benchmark_of(benchmark);
    if (!found) return found.as_failure();
    if (found.value()->interlocked &&
        architecture.issue_control != models::IssueControl::Interlocked)
        return Failure{fmt::format("{} needs a machine whose hardware makes instructions wait for "
                                   "their operands; on {} the encoding does",
                                   benchmark, architecture.name),
                       "measure"};
    if (found.value()->stated && architecture.target.sm < first_stated_target)
        return Failure{fmt::format("{} states control fields of sm_{} and later; {} is {}",
                                   benchmark, first_stated_target, architecture.name,
                                   to_string(architecture.target)),
                       "measure"};
    const bool is_wavefront_code = assembly::amd::find_processor(architecture.target) != nullptr;
    const models::Architecture form = with_form(architecture);
    std::vector<BenchmarkPoint> points;
    for (auto& axes : combinations_of(*found.value())) {
        points.push_back(
            planned_point(*found.value(), std::move(axes), architecture, lanes_of(architecture)));
        BenchmarkPoint& point = points.back();
        if (point.copy) {
            write_copy(point);
            continue;
        }
        if (is_wavefront_code && !point.region.semaphore)
            return Failure{fmt::format("{} times instructions and is made for NVIDIA's instruction "
                                       "sets; of {} ({}) `--suite residence` is measured",
                                       benchmark, architecture.name,
                                       to_string(architecture.target)),
                           "measure"};
        if (is_wavefront_code && point.launch.threads > most_threads) {
            points.pop_back();
            continue;
        }
        point.facts.kernel = kernel_name_on(architecture.target);
        if (auto written = write_listing(point, form); !written) return written.as_failure();
    }
    return points;
}

Result<std::vector<BenchmarkPoint>> ptx_points_of(std::string_view benchmark,
                                                  assembly::Target target) {
    const auto found = benchmark_of(benchmark);
    if (!found) return found.as_failure();
    if (found.value()->stated)
        return Failure{fmt::format("{} states the control fields of its code, which the assembler "
                                   "of PTX decides on a card",
                                   benchmark),
                       "measure"};
    models::Architecture machine; // Only its target is known.
    machine.name = to_string(target);
    machine.target = target;
    std::vector<BenchmarkPoint> points;
    for (auto& axes : combinations_of(*found.value())) {
        auto point = planned_point(*found.value(), std::move(axes), machine);
        if (!takes_registers(point)) continue;
        points.push_back(std::move(point));
        if (points.back().copy) {
            write_copy(points.back());
            continue;
        }
        if (auto written = write_ptx(points.back(), target); !written) return written.as_failure();
    }
    return points;
}

Result<std::vector<BenchmarkPoint>> amd_points_of(std::string_view benchmark,
                                                  assembly::Target target) {
    const auto found = benchmark_of(benchmark);
    if (!found) return found.as_failure();
    const auto dialect = amd_dialect(target);
    if (!dialect) return dialect.as_failure();
    if (found.value()->stated)
        return Failure{fmt::format("{} states control fields, which AMD's code has not", benchmark),
                       "measure"};
    models::Architecture machine; // Only its target is known.
    machine.name = to_string(target);
    machine.target = target;
    std::vector<BenchmarkPoint> points;
    for (auto& axes : combinations_of(*found.value())) {
        auto point = planned_point(*found.value(), std::move(axes), machine, dialect.value().lanes);
        if (!takes_registers(point)) continue;
        points.push_back(std::move(point));
        if (points.back().copy) {
            write_copy(points.back());
            continue;
        }
        if (points.back().launch.threads > most_threads) {
            points.pop_back();
            continue;
        }
        if (auto written = write_amd(points.back(), target); !written) return written.as_failure();
    }
    if (points.empty())
        return Failure{fmt::format("{} takes blocks of more than {} work-items, with wavefronts of "
                                   "{}",
                                   benchmark, most_threads, dialect.value().lanes),
                       "measure"};
    return points;
}

Result<std::vector<BenchmarkPoint>> card_points_of(std::string_view benchmark,
                                                   assembly::Target target) {
    return is_amd(target) ? amd_points_of(benchmark, target) : ptx_points_of(benchmark, target);
}

} // namespace warpbound::harness
