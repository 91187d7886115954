#include "harness/suite/benchmarks/accesses.hpp"

#include <fmt/format.h>

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

Region arithmetic_region(const std::string& operation, std::int64_t n, bool dependent) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i)
        region.timed.push_back(arithmetic_operation(
            operation, first_register + i, dependent && i > 0 ? first_register + i - 1 : 2));
    return region;
}

Region shared_region(bool load, std::int64_t n) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i)
        region.timed.push_back(load ? shared_load(first_register + i, 1) : shared_store());
    return region;
}

Region shared_pairs_region(std::int64_t n) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i) {
        region.timed.push_back(shared_store());
        region.timed.push_back(shared_load(first_register + i, 1));
    }
    return region;
}

Region global_region(bool load, std::int64_t n, const models::Architecture& architecture) {
    Region region;
    for (int i = 0; i < static_cast<int>(n); ++i) {
        if (!load) {
            region.timed.push_back(global_store(architecture, 1));
            continue;
        }
        // Each load's value is used before the next load, so that loads do not overlap. Each reads
        // its own line, so that no load hits a line fetched by an earlier one; the address needs no
        // arithmetic, so nothing is added to the chain.
        const int data = first_register + 2 * i;
        region.timed.push_back(global_load(architecture, data, 1, i));
        // A compiler moves all loads before the additions (ptxas 13.0).
        region.timed.back().needs_assembler = true;
        region.timed.push_back(arithmetic_operation("add", data + 1, data));
    }
    return region;
}

Region mad_add_region() {
    Region region = arithmetic_region("mad", 1, false);
    region.timed.push_back(arithmetic_operation("add", first_register + 1, first_register));
    return region;
}

Region bank_conflict_region(std::int64_t stride) {
    // The value is used before the second clock read, so that the read waits for every pass.
    Region region;
    region.timed = {shared_load(first_register, stride),
                    arithmetic_operation("add", first_register + 1, first_register)};
    return region;
}

using Build = std::function<Region(const Axes&, const models::Architecture&)>;

/// A region that depends on one axis only.
template <typename Of> Build by_axis(const std::string& axis, Of of) {
    return [axis, of](const Axes& axes, const models::Architecture&) {
        return of(axis_value(axes, axis, 1));
    };
}

} // namespace

std::vector<Benchmark> published_benchmarks() {
    std::vector<Benchmark> all{{"empty-region",
                                "How long do two clock reads take with nothing between them?",
                                "time = 24 on Fermi",
                                "V14 Table 19 (n = 0)",
                                {{"warps", one_to(16)}},
                                by_axis("warps", [](std::int64_t) { return Region{}; })}};
    for (const auto& operation : arithmetic()) {
        const auto chain = [name = operation.name](bool dependent) {
            return by_axis("n",
                           [=](std::int64_t n) { return arithmetic_region(name, n, dependent); });
        };
        all.push_back({"independent-" + operation.name,
                       fmt::format("How long do n independent {} operations take?", operation.name),
                       "time = 24 + 6 n on Fermi",
                       "V14 Table 19",
                       {{"n", one_to(16)}},
                       chain(false)});
        // The unit of the last "cos" is still busy when the clock is read.
        all.back().adds_to_empty = operation.name != "cos";
        all.push_back({"dependent-" + operation.name,
                       fmt::format("How long does a chain of n dependent {} operations take?",
                                   operation.name),
                       fmt::format("time = 30 + {} (n - 1) on Fermi", operation.latency),
                       "V14 Table 20",
                       {{"n", one_to(16)}},
                       chain(true),
                       {fmt::format("classes/{}/latency", to_string(operation.opcode_class))}});
    }
    const auto pair = [](bool dependent) {
        return by_axis("warps",
                       [=](std::int64_t) { return arithmetic_region("add", 2, dependent); });
    };
    const auto shared = [](bool load) {
        return by_axis("n", [=](std::int64_t n) { return shared_region(load, n); });
    };
    const auto global = [](bool load) {
        return [=](const Axes& axes, const models::Architecture& architecture) {
            return global_region(load, axis_value(axes, "n", 1), architecture);
        };
    };
    all.push_back({"independent-pair",
                   "How many warps run two independent additions without slowing each other down?",
                   "time = 36 on Fermi up to 6 warps, then growing",
                   "V14 Fig. 29, 30",
                   {{"warps", one_to(16)}},
                   pair(false)});
    all.push_back({"dependent-pair",
                   "How many warps run two dependent additions without slowing each other down?",
                   "time = 48 on Fermi up to 6 warps, then growing",
                   "V14 Fig. 29, 30",
                   {{"warps", one_to(16)}},
                   pair(true)});
    all.push_back({"dependent-mad-add",
                   "How regular is the time of an addition that uses a product, in many warps?",
                   "time = 48 on Fermi up to 6 warps, then growing",
                   "V14 Fig. 17-20",
                   {{"warps", one_to(16)}},
                   by_axis("warps", [](std::int64_t) { return mad_add_region(); })});
    all.push_back({"shared-load",
                   "How long do n conflict-free shared loads take?",
                   "linear in n, slope 26 on Fermi",
                   "V14 Table 7, Fig. 21",
                   {{"n", one_to(16)}},
                   shared(true)});
    all.push_back({"shared-store",
                   "How long do n conflict-free shared stores take?",
                   "linear in n, slope 30 on Fermi",
                   "V14 Table 7, Fig. 21",
                   {{"n", one_to(16)}},
                   shared(false)});
    all.push_back({"shared-pairs",
                   "Do n alternating shared stores and loads take the sum of both?",
                   "linear in n, slope 30 + 26 on Fermi",
                   "V14 5.3, Table 7",
                   {{"n", one_to(16)}},
                   by_axis("n", shared_pairs_region)});
    all.push_back({"bank-conflict",
                   "How does the word stride of a shared load change its time?",
                   "grows with gcd(stride, 32); strides 64 and 128 equal 32",
                   "V14 Tables 2-4, Fig. 22",
                   {{"stride", {1, 2, 3, 4, 5, 8, 16, 32, 64, 128}}},
                   by_axis("stride", bank_conflict_region)});
    all.push_back({"global-load",
                   "How long do n global loads take when each value is used before the next load?",
                   "linear in n, 350 to 500 per load on Fermi",
                   "V14 Table 7, Fig. 23",
                   {{"n", one_to(16)}},
                   global(true)});
    all.push_back({"global-store",
                   "How long do n global stores take, and when does the write buffer fill?",
                   "slope 34 on Fermi with one warp",
                   "V14 Table 7, Fig. 25, 63",
                   {{"n", one_to(16)}, {"warps", {1, 8, 16}}},
                   global(false)});
    return all;
}

} // namespace warpbound::harness
