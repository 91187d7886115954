#include "harness/suite/benchmark.hpp"

#include "harness/suite/emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpbound::harness {

namespace {

using assembly::OpcodeClass;

/// The operations of V14's arithmetic experiments.
struct Arithmetic {
    std::string name;
    OpcodeClass opcode_class;
    std::int64_t latency; ///< On Fermi, for the expected relation.
};
const std::vector<Arithmetic>& arithmetic() {
    static const std::vector<Arithmetic> all{{"add", OpcodeClass::FloatAdd, 18},
                                             {"mul", OpcodeClass::FloatMultiply, 18},
                                             {"mad", OpcodeClass::FloatMultiplyAdd, 18},
                                             {"cos", OpcodeClass::SpecialFunction, 22}};
    return all;
}

Operation arithmetic_operation(const std::string& name, int destination, int source) {
    Operation operation;
    operation.destination = destination;
    operation.sources = {source};
    for (const auto& kind : arithmetic())
        if (kind.name == name) operation.opcode_class = kind.opcode_class;
    if (name == "add")
        operation.text = fmt::format("FADD R{}, R{}, R3", destination, source);
    else if (name == "mul")
        operation.text = fmt::format("FMUL R{}, R{}, R3", destination, source);
    else if (name == "mad")
        operation.text = fmt::format("FFMA R{}, R{}, R3, R3", destination, source);
    else
        operation.text = fmt::format("MUFU.COS R{}, R{}", destination, source);
    return operation;
}

/// What stands between the clock reads, with a memory fact per access.
struct Region {
    std::vector<Operation> operations;
    std::vector<std::pair<std::size_t, models::MemoryFact>>
        facts; ///< Operation of the region, fact.

    void access(Operation operation, std::optional<std::int64_t> degree,
                models::MemoryLevel level) {
        models::MemoryFact fact;
        if (degree)
            fact.conflict_degree = models::CountRange{*degree, *degree};
        else
            fact.transactions = models::CountRange{1, 1};
        fact.level = level;
        facts.emplace_back(operations.size(), fact);
        operations.push_back(std::move(operation));
    }
};

constexpr int first_register =
    8; ///< R8 and up are written by the timed code; R2..R7 are only read.

Region arithmetic_region(const std::string& operation, std::int64_t n, bool dependent) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i)
        region.operations.push_back(arithmetic_operation(
            operation, first_register + i, dependent && i > 0 ? first_register + i - 1 : 2));
    return region;
}

Operation shared_load(int destination) {
    return {fmt::format("LDS R{}, [R4]", destination), OpcodeClass::LoadShared, destination, {4}};
}

Operation shared_store() {
    return {"STS [R4], R5", OpcodeClass::StoreShared, -1, {4, 5}};
}

Region shared_region(bool load, std::int64_t n, std::int64_t degree) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i)
        region.access(load ? shared_load(first_register + i) : shared_store(), degree,
                      models::MemoryLevel::Any);
    return region;
}

Region shared_pairs_region(std::int64_t n) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i) {
        region.access(shared_store(), 1, models::MemoryLevel::Any);
        region.access(shared_load(first_register + i), 1, models::MemoryLevel::Any);
    }
    return region;
}

constexpr int line_bytes = 128; ///< Of every machine's caches.

Region global_region(bool load, std::int64_t n, const models::Architecture& architecture) {
    Region region;
    const bool old = architecture.target.sm < 50;
    for (int i = 0; i < static_cast<int>(n); ++i) {
        const int data = first_register + 2 * i;
        if (!load) {
            region.access(
                {old ? "ST [R4], R6" : "STG [R4], R6", OpcodeClass::StoreGlobal, -1, {4, 6}},
                std::nullopt, models::MemoryLevel::Dram);
            continue;
        }
        // Each load's value is used before the next load, so that loads do not overlap. Each reads
        // a line of its own, so that no load finds what an earlier one brought; the address needs
        // no arithmetic, so nothing is added to the chain.
        region.access({fmt::format("{} R{}, [R4{}]", old ? "LD" : "LDG", data,
                                   i == 0 ? "" : fmt::format("+0x{:x}", i * line_bytes)),
                       OpcodeClass::LoadGlobal,
                       data,
                       {4}},
                      std::nullopt, models::MemoryLevel::Dram);
        region.operations.push_back(arithmetic_operation("add", data + 1, data));
    }
    return region;
}

std::int64_t axis(const std::vector<std::pair<std::string, std::int64_t>>& axes,
                  std::string_view name, std::int64_t otherwise) {
    for (const auto& [axis_name, value] : axes)
        if (axis_name == name) return value;
    return otherwise;
}

Region region_of(const std::string& name,
                 const std::vector<std::pair<std::string, std::int64_t>>& axes,
                 const models::Architecture& architecture) {
    const std::int64_t n = axis(axes, "n", 2);
    const bool dependent = name.substr(0, 9) == "dependent";
    for (const auto& kind : arithmetic())
        if (name == "dependent-" + kind.name || name == "independent-" + kind.name)
            return arithmetic_region(kind.name, n, dependent);
    if (name == "dependent-pair" || name == "independent-pair")
        return arithmetic_region("add", 2, dependent);
    if (name == "dependent-mad-add") {
        Region region = arithmetic_region("mad", 1, false);
        region.operations.push_back(
            arithmetic_operation("add", first_register + 1, first_register));
        return region;
    }
    if (name == "shared-pairs") return shared_pairs_region(n);
    if (name == "shared-load" || name == "shared-store")
        return shared_region(name == "shared-load", n, 1);
    if (name == "bank-conflict") {
        // The value is used before the second clock read, so that the read waits for every pass.
        Region region = shared_region(true, 1, std::gcd<std::int64_t>(axis(axes, "stride", 1), 32));
        region.operations.push_back(
            arithmetic_operation("add", first_register + 1, first_register));
        return region;
    }
    if (name == "global-load" || name == "global-store")
        return global_region(name == "global-load", n, architecture);
    return {}; // empty-region
}

Result<BenchmarkPoint> make_point(const Benchmark& benchmark,
                                  std::vector<std::pair<std::string, std::int64_t>> axes,
                                  const models::Architecture& architecture) {
    const bool old = architecture.issue_control == models::IssueControl::Interlocked;
    const auto clock = [&](int destination) {
        return Operation{fmt::format("S2R R{}, {}", destination, old ? "SR_ClockLo" : "SR_CLOCKLO"),
                         OpcodeClass::ClockRead,
                         destination,
                         {}};
    };
    // Fermi's clock register counts every other cycle: V14 doubles what it reads.
    const auto doubled = [&](int reg) {
        return Operation{old ? fmt::format("SHL.W R{0}, R{0}, 0x1", reg)
                             : fmt::format("MOV R{0}, R{0}", reg),
                         old ? OpcodeClass::Shift : OpcodeClass::Move,
                         reg,
                         {reg}};
    };
    const Region region = region_of(benchmark.name, axes, architecture);
    std::vector<Operation> operations{clock(0), doubled(0)};
    operations.insert(operations.end(), region.operations.begin(), region.operations.end());
    operations.push_back(clock(1));
    operations.push_back(doubled(1));
    operations.push_back({"EXIT", OpcodeClass::Exit, -1, {}});
    BenchmarkPoint point;
    point.benchmark = benchmark.name;
    point.name = benchmark.name;
    for (const auto& [name, value] : axes)
        point.name += fmt::format("/{}={}", name, value);
    point.launch = {1, 32 * axis(axes, "warps", 1)};
    point.axes = std::move(axes);
    const auto emitted = emit("timed_region", operations, architecture);
    if (!emitted) return emitted.as_failure();
    point.text = emitted.value().text;
    point.facts.kernel = "timed_region";
    point.facts.program_digest = assembly::digest_of(point.text);
    for (auto [operation, fact] : region.facts) {
        fact.at = emitted.value().addresses[operation + 2];
        point.facts.memory.push_back(fact);
    }
    return point;
}

std::vector<std::int64_t> one_to(std::int64_t last) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(last));
    std::iota(values.begin(), values.end(), 1);
    return values;
}

std::vector<Benchmark> define_benchmarks() {
    std::vector<Benchmark> all{{"empty-region",
                                "How long do two clock reads take with nothing between them?",
                                "time = 24 on Fermi",
                                "V14 Table 19 (n = 0)",
                                {{"warps", one_to(16)}}}};
    for (const auto& kind : arithmetic()) {
        all.push_back({"independent-" + kind.name,
                       fmt::format("How long do n independent {} operations take?", kind.name),
                       "time = 24 + 6 n on Fermi",
                       "V14 Table 19",
                       {{"n", one_to(16)}}});
        all.push_back(
            {"dependent-" + kind.name,
             fmt::format("How long does a chain of n dependent {} operations take?", kind.name),
             fmt::format("time = 30 + {} (n - 1) on Fermi", kind.latency),
             "V14 Table 20",
             {{"n", one_to(16)}}});
    }
    all.push_back({"independent-pair",
                   "How many warps run two independent additions without slowing each other down?",
                   "time = 36 on Fermi up to 6 warps, then growing",
                   "V14 Fig. 29, 30",
                   {{"warps", one_to(16)}}});
    all.push_back({"dependent-pair",
                   "How many warps run two dependent additions without slowing each other down?",
                   "time = 48 on Fermi up to 6 warps, then growing",
                   "V14 Fig. 29, 30",
                   {{"warps", one_to(16)}}});
    all.push_back({"dependent-mad-add",
                   "How regular is the time of an addition that uses a product, in many warps?",
                   "time = 48 on Fermi up to 6 warps, then growing",
                   "V14 Fig. 17-20",
                   {{"warps", one_to(16)}}});
    all.push_back({"shared-load",
                   "How long do n conflict-free shared loads take?",
                   "linear in n, slope 26 on Fermi",
                   "V14 Table 7, Fig. 21",
                   {{"n", one_to(16)}}});
    all.push_back({"shared-store",
                   "How long do n conflict-free shared stores take?",
                   "linear in n, slope 30 on Fermi",
                   "V14 Table 7, Fig. 21",
                   {{"n", one_to(16)}}});
    all.push_back({"shared-pairs",
                   "Do n shared stores and n shared loads in turn take the sum of both?",
                   "linear in n, slope 30 + 26 on Fermi",
                   "V14 5.3, Table 7",
                   {{"n", one_to(16)}}});
    all.push_back({"bank-conflict",
                   "How does the word stride of a shared load change its time?",
                   "grows with gcd(stride, 32); strides 64 and 128 equal 32",
                   "V14 Tables 2-4, Fig. 22",
                   {{"stride", {1, 2, 3, 4, 5, 8, 16, 32, 64, 128}}}});
    all.push_back({"global-load",
                   "How long do n global loads take when each value is used before the next load?",
                   "linear in n, 350 to 500 per load on Fermi",
                   "V14 Table 7, Fig. 23",
                   {{"n", one_to(16)}}});
    all.push_back({"global-store",
                   "How long do n global stores take, and when does the write buffer fill?",
                   "slope 34 on Fermi with one warp",
                   "V14 Table 7, Fig. 25, 63",
                   {{"n", one_to(16)}, {"warps", {1, 8, 16}}}});
    return all;
}

std::vector<Suite> define_suites() {
    std::vector<std::string> every;
    for (const auto& benchmark : benchmarks())
        every.push_back(benchmark.name);
    return {{"quick",
             "A first look: chains of additions, pairs over warps, shared loads",
             {"empty-region", "independent-add", "dependent-add", "dependent-pair", "shared-load"}},
            {"voudouris-2014",
             "The experiments of V14: Tables 2 to 4, 7, 19 and 20, Figures 17 to 30",
             {"empty-region", "independent-add", "independent-mul", "independent-mad",
              "independent-cos", "dependent-add", "dependent-mul", "dependent-mad", "dependent-cos",
              "independent-pair", "dependent-pair", "dependent-mad-add", "shared-load",
              "shared-store", "shared-pairs", "bank-conflict", "global-load", "global-store"}},
            {"full", "Every benchmark", every}};
}

} // namespace

const std::vector<Benchmark>& benchmarks() {
    static const std::vector<Benchmark> all = define_benchmarks();
    return all;
}

const std::vector<Suite>& suites() {
    static const std::vector<Suite> all = define_suites();
    return all;
}

Result<std::vector<BenchmarkPoint>> points_of(std::string_view benchmark,
                                              const models::Architecture& architecture) {
    const auto found =
        std::find_if(benchmarks().begin(), benchmarks().end(),
                     [&](const Benchmark& candidate) { return candidate.name == benchmark; });
    if (found == benchmarks().end()) {
        std::vector<std::string> names;
        for (const auto& known : benchmarks())
            names.push_back(known.name);
        return Failure{
            fmt::format("no benchmark '{}'; there are: {}", benchmark, fmt::join(names, ", ")),
            "measure"};
    }
    // All combinations of the axes, the last one running fastest.
    std::vector<std::vector<std::pair<std::string, std::int64_t>>> combinations{{}};
    for (const auto& [name, values] : found->axes) {
        std::vector<std::vector<std::pair<std::string, std::int64_t>>> longer;
        for (const auto& combination : combinations)
            for (const std::int64_t value : values) {
                longer.push_back(combination);
                longer.back().emplace_back(name, value);
            }
        combinations = std::move(longer);
    }
    std::vector<BenchmarkPoint> points;
    for (auto& combination : combinations) {
        auto point = make_point(*found, std::move(combination), architecture);
        if (!point) return point.as_failure();
        points.push_back(std::move(point).value());
    }
    return points;
}

} // namespace warpbound::harness
