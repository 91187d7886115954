#include "harness/suite/benchmarks/calibration_benchmarks.hpp"

#include "harness/suite/benchmarks/specimens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;
using models::MemoryLevel;

/// The latency of loads from global or local memory depends on the level, so it has separate
/// benchmarks.
bool has_result_benchmark(const Specimen& of) {
    return of.has_result && of.opcode_class != OpcodeClass::LoadGlobal &&
           of.opcode_class != OpcodeClass::LoadLocal;
}

bool has_passes(OpcodeClass opcode_class) {
    return is_shared_access(opcode_class) || is_global_access(opcode_class);
}

Region result_delay(const Specimen& of, std::int64_t passes, MemoryLevel level) {
    return isolated({specimen(of, first_register, passes, level), predicated_off(first_register)});
}

/// Issue distance to the next instruction, and to the first one that waits for the result.
void add_delays(std::vector<Benchmark>& all) {
    for (const auto& of : specimens()) {
        const std::string name{to_string(of.opcode_class)};
        all.push_back(interlocked(
            {"spacing-" + name,
             fmt::format("How long after one {} can a warp issue another?", name),
             "the larger of the same-warp interval and the initiation",
             "C4, C7, C12",
             {},
             [&of](const Axes&, const models::Architecture&) {
                 return isolated({specimen(of, first_register), specimen(of, first_register + 2)});
             },
             {path_of(of.opcode_class, "initiation")}}));
        if (has_passes(of.opcode_class))
            all.push_back(interlocked(
                {"port-" + name,
                 fmt::format("How long does a {} of many passes occupy its port?", name),
                 "passes x initiation",
                 "C7, C12",
                 {},
                 [&of](const Axes&, const models::Architecture&) {
                     return isolated({specimen(of, first_register, many_passes),
                                      specimen(of, first_register + 2)});
                 },
                 {path_of(of.opcode_class, "initiation")}}));
        if (!has_result_benchmark(of)) continue;
        const bool counts_passes = has_passes(of.opcode_class);
        Benchmark delay{"result-" + name,
                        fmt::format("How long after a {} can an instruction issue that waits for "
                                    "its result?",
                                    name),
                        "the larger of the same-warp interval and the latency",
                        "V14 Fig. 29, Table 20",
                        {},
                        {},
                        {path_of(of.opcode_class, "latency")}};
        if (counts_passes) {
            delay.axes = {{"passes", {1, many_passes}}};
            delay.relation += ", plus (passes - 1) x pass cost";
            delay.calibrates.push_back(path_of(of.opcode_class, "pass-cost"));
        }
        delay.region = [&of](const Axes& axes, const models::Architecture&) {
            return result_delay(of, axis_value(axes, "passes", 1), MemoryLevel::Any);
        };
        all.push_back(interlocked(std::move(delay)));
    }
    for (const auto& [level, name] :
         {std::pair{MemoryLevel::L1, "l1"}, {MemoryLevel::L2, "l2"}, {MemoryLevel::Dram, "dram"}})
        all.push_back(interlocked(
            {fmt::format("result-{}", name),
             fmt::format("How long after a global load from {} is its value there?", name),
             "latency of the level, plus (passes - 1) x pass cost",
             "G17 Table 4.2",
             {{"passes", {1, many_passes}}},
             [level = level](const Axes& axes, const models::Architecture&) {
                 return result_delay(specimen_of(OpcodeClass::LoadGlobal),
                                     axis_value(axes, "passes", 1), level);
             },
             {fmt::format("memories/{}/latency", name), "classes/load-global/pass-cost"}}));
}

/// Contention of all warps of a full SM ("crowd" benchmarks).
void add_contention(std::vector<Benchmark>& all) {
    const auto contended = [&](const std::string& name, const std::string& question,
                               std::vector<std::string> calibrates, auto operation) {
        Benchmark benchmark{
            "crowd-" + name,
            question,
            "n x warps of a scheduler x the larger of issue slot and initiation",
            "V14 Fig. 30; G23 eq. 3.4",
            {{"n", {contention_counts.few, contention_counts.many}},
             // One warp fewer on every scheduler but one, for 1, 2, 4 or 8 schedulers.
             {"warps",
              {contending_warps - 7, contending_warps - 3, contending_warps - 1,
               contending_warps}}},
            [operation](const Axes& axes, const models::Architecture&) {
                Region region;
                const std::int64_t n = axis_value(axes, "n", 1);
                for (int i = 0; i < static_cast<int>(n); ++i)
                    region.timed.push_back(operation(i));
                return region;
            },
            std::move(calibrates)};
        benchmark.picture = Picture::IssueRate;
        all.push_back(clocked(std::move(benchmark), 3));
    };
    contended("switched-off", "At which rate does a scheduler issue?",
              {"schedulers/issue-slot", "schedulers/count"}, [](int) { return predicated_off(); });
    for (const auto& of : specimens())
        contended(
            std::string{to_string(of.opcode_class)},
            fmt::format(
                "At which rate do all warps together issue {}, and which warps share its unit?",
                to_string(of.opcode_class)),
            {path_of(of.opcode_class, "initiation"), path_of(of.opcode_class, "port")},
            // A register is written again long after its result has arrived. Results from memory
            // arrive too late, so they are not written to a register.
            [&of](int i) {
                constexpr int registers = 24;
                const int destination = first_register + 2 * (i % registers);
                Operation one = specimen(of, destination, 1, MemoryLevel::Dram,
                                         static_cast<std::size_t>(i / registers));
                if (!is_global_access(of.opcode_class) || !of.has_result) return one;
                const std::string name = fmt::format("R{},", destination);
                one.text.replace(one.text.find(name), name.size(), "RZ,");
                one.destination = -1;
                one.needs_assembler = true; // A compiler reorders so many addresses.
                return one;
            });
}

void add_schedulers(std::vector<Benchmark>& all) {
    all.push_back(interlocked({"switched-off",
                               "How long do n predicated-off instructions take?",
                               "linear in n, the slope is the same-warp interval",
                               "C4, C11",
                               {{"n", {line_counts.begin(), line_counts.end()}}},
                               [](const Axes& axes, const models::Architecture&) {
                                   Region region;
                                   append_predicated_off(region.timed, axis_value(axes, "n", 0));
                                   return region;
                               },
                               {"schedulers/same-warp-interval", "classes/clock-read/latency"}}));
    Benchmark start{"start-order",
                    "How many warps of an SM issue their first instruction at once?",
                    "as many as there are schedulers",
                    "V14 Tables 5, 6",
                    {{"warps", {contending_warps}}},
                    [](const Axes&, const models::Architecture&) { return Region{}; },
                    {"schedulers/count"}};
    all.push_back(clocked(std::move(start)));
    Benchmark wake{"wake-order",
                   "Which warp issues first when a warp wakes up while another one issues?",
                   "of two ready warps the one that woke up issues first: never (greedy), if it is "
                   "older (oldest first), sometimes (round robin)",
                   "C19",
                   {{"warps", {2, 3, 5, 9}}},
                   [](const Axes&, const models::Architecture&) {
                       Region region;
                       // The first clock read itself waits for the value that it overwrites.
                       region.before = {
                           specimen(specimen_of(OpcodeClass::LoadGlobal), first_register),
                           {fmt::format("S2R R{}, SR_ClockLo", first_register),
                            OpcodeClass::ClockRead,
                            first_register,
                            {}}};
                       append_predicated_off(region.before, wake_filler);
                       return region;
                   },
                   {"policy"}};
    all.push_back(clocked(std::move(wake)));
}

void add_control(std::vector<Benchmark>& all) {
    const auto add = [&](const std::string& name, const std::string& question,
                         const std::string& path, std::string text, OpcodeClass opcode_class) {
        all.push_back(interlocked({name,
                                   question,
                                   "that value, if it is larger than the same-warp interval",
                                   "G17 Table 4.1",
                                   {},
                                   [operation = Operation{std::move(text), opcode_class, -1, {}}](
                                       const Axes&, const models::Architecture&) {
                                       // At the position of the operation in a result-delay
                                       // benchmark, so the relation is the same.
                                       return isolated({operation, predicated_off()});
                                   },
                                   {path}}));
    };
    // On targets with hardware interlocks instructions have 8 bytes: the branch target is the next
    // instruction.
    add("branch-taken", "How long after a taken branch does a warp issue?",
        "control-flow/branch-taken", fmt::format("BRA 0x{:x}", (2 + padding + 1) * 8),
        OpcodeClass::Branch);
    add("branch-not-taken", "How long after a branch that is not taken does a warp issue?",
        "control-flow/branch-not-taken", fmt::format("@!PT BRA 0x{:x}", (2 + padding + 1) * 8),
        OpcodeClass::Branch);
    add("barrier", "How long after a barrier of its own does a warp issue?",
        "classes/barrier/latency", "BAR.SYNC 0x0", OpcodeClass::Barrier);
}

void add_residency(std::vector<Benchmark>& all) {
    const auto add = [&](const std::string& name, const std::string& question,
                         std::vector<std::pair<std::string, std::vector<std::int64_t>>> axes,
                         std::int64_t blocks, std::vector<std::string> calibrates) {
        axes.push_back({"blocks", {blocks}});
        Benchmark benchmark{name,
                            question,
                            "N_slot: blocks that begin before the first one ends",
                            "G23 eq. 3.9 to 3.13",
                            std::move(axes),
                            [](const Axes&, const models::Architecture&) {
                                // All warps read the clock, then stall on loads: none delays the
                                // clock read of others.
                                Region region;
                                region.semaphore = true;
                                const auto& load = specimen_of(OpcodeClass::LoadGlobal);
                                for (int i = 0; i < 10; ++i) {
                                    region.timed.push_back(specimen(load, first_register));
                                    region.timed.push_back(predicated_off(first_register));
                                }
                                return region;
                            },
                            std::move(calibrates)};
        benchmark.picture = Picture::Residency;
        benchmark.quantity = Quantity::ResidentBlocks;
        benchmark.most_runs = 2;
        all.push_back(std::move(benchmark));
    };
    add("resident-shared-memory",
        "How many blocks of a warp that ask for so much shared memory are on an SM at once?",
        {{"shared-memory", resident_bytes()}, {"warps", {1}}}, resident_at_most,
        {"limits/shared-memory", "limits/shared-granularity", "limits/shared-reserved"});
    add("resident-registers",
        "How many blocks with so many registers a thread are on an SM at once?",
        {{"registers", resident_registers()},
         {"warps", {resident_block_sizes.begin(), resident_block_sizes.end()}}},
        resident_wide_blocks,
        {"limits/registers", "limits/register-granularity", "limits/register-partitions"});
    add("resident-warps", "How many blocks of so many warps are on an SM at once?",
        {{"warps", one_to(contending_warps)}}, resident_at_most,
        {"limits/max-warps", "limits/max-blocks"});
}

} // namespace

std::vector<std::int64_t> resident_registers() {
    const std::set<std::int64_t> doubled{21, 22, 29, 30, 37, 38, 45, 46};
    std::vector<std::int64_t> counts;
    for (std::int64_t count = 8; count <= 63; ++count)
        if (!doubled.contains(count)) counts.push_back(count);
    return counts;
}

std::vector<std::int64_t> resident_bytes() {
    std::vector<std::int64_t> sizes;
    // Multiples of 128, and odd multiples of 64, so that both granularities can be observed.
    for (std::int64_t bytes = 512; bytes <= 8 * 1024; bytes += 128)
        sizes.push_back(bytes % 256 == 0 ? bytes : bytes + 64);
    for (std::int64_t bytes = 8 * 1024 + 256; bytes <= 48 * 1024; bytes += 256)
        sizes.push_back(bytes);
    return sizes;
}

std::vector<CalibratedClass> calibrated_classes() {
    std::vector<CalibratedClass> classes;
    for (const auto& of : specimens()) {
        CalibratedClass one{std::string{to_string(of.opcode_class)}, {}};
        one.has_passes = has_passes(of.opcode_class);
        one.is_buffered = of.opcode_class == OpcodeClass::StoreGlobal ||
                          of.opcode_class == OpcodeClass::StoreLocal;
        if (has_result_benchmark(of))
            one.result_point =
                fmt::format("result-{}{}", one.name, one.has_passes ? "/passes=1" : "");
        classes.push_back(std::move(one));
    }
    return classes;
}

std::vector<std::string> described_classes() {
    std::vector<std::string> names{"clock-read", "barrier", "branch", "exit"};
    for (const auto& of : specimens())
        names.emplace_back(to_string(of.opcode_class));
    return names;
}

std::vector<Benchmark> calibration_benchmarks() {
    std::vector<Benchmark> all;
    add_schedulers(all);
    add_delays(all);
    add_contention(all);
    add_control(all);
    add_residency(all);
    return all;
}

} // namespace warpbound::harness
