#include "harness/suite/benchmarks/accesses.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

/// Lines that a warp accesses in a block of 64 x 1 or 4 x 16 threads, with `words` per lane.
std::int64_t lines_of(bool tiled, std::int64_t words) {
    constexpr std::int64_t rows_of_a_warp = 8; // Rows of four lanes: up to 64 bytes each.
    return tiled ? rows_of_a_warp : words;
}

/// Fetches all inputs, then computes: each operation uses an input, in PTX also the result of the
/// previous operation.
struct Body {
    std::int64_t inputs = 8;
    std::int64_t operations = 0;
    std::int64_t words = 1;
    std::int64_t lines = 1; ///< That a warp accesses in each fetch.
};

int input_register(const Body& body, std::int64_t input) {
    return first_register + static_cast<int>(input * body.words);
}

void append_fetches(Region& region, const Body& body, std::int64_t from, std::int64_t to,
                    const models::Architecture& architecture) {
    for (std::int64_t i = from; i < to; ++i)
        region.timed.push_back(
            global_load(architecture, input_register(body, i), body.lines, 8 * i, body.words));
}

/// The result register of the last operation; before any operation a register that nothing writes.
int result_of(const Region& region) {
    const auto last =
        std::find_if(region.timed.rbegin(), region.timed.rend(), [](const Operation& operation) {
            return operation.opcode_class == assembly::OpcodeClass::FloatMultiplyAdd;
        });
    return last == region.timed.rend() ? 3 : last->destination;
}

void append_operations(Region& region, const Body& body, std::int64_t count, std::int64_t inputs) {
    // In place: the sum overwrites the register of its input.
    for (std::int64_t i = 0; i < count; ++i) {
        const int input = input_register(body, i % inputs);
        region.timed.push_back(
            as_ptx(arithmetic_operation("mad", input, input),
                   fmt::format("fma.rn.f32 %f{0}, %f{0}, %f3, %f{1};", input, result_of(region))));
    }
}

Region fetch_and_compute(const Body& body, const models::Architecture& architecture) {
    Region region;
    append_fetches(region, body, 0, body.inputs, architecture);
    append_operations(region, body, body.operations, body.inputs);
    // Between wide fetches ptxas 13.0 loads a constant on sm_86 to sm_89.
    if (body.words > 1) return listing_only(std::move(region));
    region.closing = {closing_store(result_of(region))};
    return region;
}

Body body_of(const Axes& axes) {
    Body body;
    body.words = axis_value(axes, "words", 1);
    body.lines = lines_of(axis_value(axes, "tiled", 0) != 0, body.words);
    return body;
}

/// Of a texture in tiles, unlike linear memory: a block of 64 x 1 lies on as many of them as a
/// texel has words, one of 4 x 16 on a single one.
Body body_of_tiles(const Axes& axes) {
    Body body = body_of(axes);
    body.lines = axis_value(axes, "tiled", 0) != 0 ? 1 : body.words;
    return body;
}

const std::pair<std::string, std::vector<std::int64_t>> pair_of_warps{"warps", {2}};

/// A benchmark whose time is that of a launch which fills a core: fetches of some warps overlap
/// with operations of others.
Benchmark full(Benchmark benchmark) {
    benchmark.axes.push_back({"blocks", {64}});
    benchmark.axes.push_back({"warps", {1}});
    benchmark.quantity = Quantity::ExecutionTime;
    return benchmark;
}

Benchmark full_fetch_ratio(std::string name, std::int64_t words) {
    return full({std::move(name),
                 "From how many operations for each fetch on does arithmetic decide a launch?",
                 "constant while fetches decide, then linear; ratio = operations / (4 x inputs), "
                 "on the axis in quarters: 0.25 to 8",
                 "T10 III.A, Fig. 7, 8",
                 {{"quarters", one_to(32)}, {"words", {words}}, {"tiled", {0, 1}}},
                 [](const Axes& axes, const models::Architecture& architecture) {
                     Body body = body_of_tiles(axes);
                     body.operations = body.inputs * axis_value(axes, "quarters", 1);
                     return fetch_and_compute(body, architecture);
                 }});
}

Benchmark full_read_latency(std::string name, std::int64_t words) {
    return full({std::move(name),
                 "How does the time of a launch grow with the fetches of a thread?",
                 "linear in the inputs; n of four words as 4 n of one, on one tile as n",
                 "T10 Fig. 8, 11",
                 {{"inputs", one_to(12)}, {"words", {words}}, {"tiled", {0, 1}}},
                 [](const Axes& axes, const models::Architecture& architecture) {
                     Body body = body_of_tiles(axes);
                     body.inputs = axis_value(axes, "inputs", 1);
                     body.operations = body.inputs;
                     return fetch_and_compute(body, architecture);
                 }});
}

Benchmark full_write_latency() {
    return full({"full-write-latency",
                 "How does the time of a launch that fetches grow with the outputs of a thread?",
                 "constant while the fetches decide, then linear in the outputs",
                 "T10 Fig. 13, 14",
                 {{"outputs", one_to(16)}, {"lines", {1, 4}}},
                 [](const Axes& axes, const models::Architecture& architecture) {
                     Body body;
                     body.operations = body.inputs;
                     Region region = fetch_and_compute(body, architecture);
                     region.timed.insert(region.timed.end(),
                                         static_cast<std::size_t>(axis_value(axes, "outputs", 1)),
                                         global_store(architecture, axis_value(axes, "lines", 1)));
                     // ptxas moves the stores, which wait for no operation, before the operations.
                     return listing_only(std::move(region));
                 }});
}

/// 48 inputs. As many as there are registers are fetched first, the others `space` at a time, each
/// before operations on them: fewer registers, later fetches, more warps.
Region later_fetches(std::int64_t registers, const models::Architecture& architecture) {
    constexpr std::int64_t inputs = 48;
    constexpr std::int64_t space = 6;
    constexpr std::int64_t operations_of_input = 4;
    const Body body;
    Region region;
    append_fetches(region, body, 0, registers, architecture);
    append_operations(region, body, operations_of_input * registers, registers);
    for (std::int64_t fetched = registers; fetched < inputs; fetched += space) {
        append_fetches(region, body, 0, space, architecture);
        append_operations(region, body, operations_of_input * space, space);
    }
    return listing_only(std::move(region));
}

Benchmark full_register_usage() {
    return full({"full-register-usage",
                 "Does it help a launch to fetch later and so hold fewer registers?",
                 "faster while more warps hide fetches, then level",
                 "T10 Fig. 4, 6, 16, 17",
                 {{"registers", {48, 42, 36, 30, 24, 18, 12}}},
                 [](const Axes& axes, const models::Architecture& architecture) {
                     return later_fetches(axis_value(axes, "registers", 48), architecture);
                 }});
}

} // namespace

std::vector<Benchmark> alu_fetch_benchmarks() {
    std::vector<Benchmark> all;
    const auto ratio = [&](std::string name, std::int64_t words) {
        all.push_back(
            {std::move(name),
             "From how many operations for each fetch on does arithmetic decide the time?",
             "flat while fetches decide, then linear; ratio = operations / (4 x inputs), on the "
             "axis in quarters: 0.25 to 8",
             "T10 III.A, Fig. 7, 8",
             {{"quarters", one_to(32)}, {"words", {words}}, {"tiled", {0, 1}}, pair_of_warps},
             [](const Axes& axes, const models::Architecture& architecture) {
                 Body body = body_of(axes);
                 body.operations = body.inputs * axis_value(axes, "quarters", 1);
                 return fetch_and_compute(body, architecture);
             }});
    };
    ratio("alu-fetch-ratio", 1);
    ratio("alu-fetch-ratio-wide", 4);
    const auto read_latency = [&](std::string name, std::int64_t words) {
        all.push_back(
            {std::move(name),
             "How does the time of fetches grow with the number of inputs?",
             "linear in the inputs; n of four words as 4 n of one",
             "T10 Fig. 11, 12",
             {{"inputs", one_to(12)}, {"words", {words}}, {"tiled", {0, 1}}, pair_of_warps},
             [](const Axes& axes, const models::Architecture& architecture) {
                 Body body = body_of(axes);
                 body.inputs = axis_value(axes, "inputs", 1);
                 body.operations = body.inputs;
                 return fetch_and_compute(body, architecture);
             }});
    };
    read_latency("read-latency", 1);
    read_latency("read-latency-wide", 4);
    all.push_back({"write-latency",
                   "How does the time grow with the number of outputs?",
                   "linear in the outputs",
                   "T10 Fig. 13, 14",
                   {{"outputs", one_to(8)}, {"lines", {1, 4, 8}}, pair_of_warps},
                   [](const Axes& axes, const models::Architecture& architecture) {
                       Region region;
                       region.timed.assign(
                           static_cast<std::size_t>(axis_value(axes, "outputs", 1)),
                           global_store(architecture, axis_value(axes, "lines", 1)));
                       return region;
                   }});
    const auto stepwise = [](bool clauses_only) {
        return [clauses_only](const Axes& axes, const models::Architecture& architecture) {
            // All inputs are fetched first, or `space` fewer per step; these are fetched before one
            // clause each.
            constexpr std::int64_t space = 4;
            Body body;
            body.inputs = 24;
            const std::int64_t steps = axis_value(axes, "step", 0);
            const std::int64_t early = clauses_only ? body.inputs : body.inputs - space * steps;
            Region region;
            append_fetches(region, body, 0, early, architecture);
            for (std::int64_t clause = 0; clause <= steps; ++clause) {
                const std::int64_t fetched =
                    clauses_only ? body.inputs : std::min(body.inputs, early + space * clause);
                if (clause > 0 && !clauses_only)
                    append_fetches(region, body, fetched - space, fetched, architecture);
                append_operations(region, body, 4 * body.inputs / (steps + 1), fetched);
            }
            // A compiler moves fetches and operations to an earlier position (ptxas 13.0).
            return listing_only(std::move(region));
        };
    };
    all.push_back({"register-usage",
                   "Does it help to fetch later and so hold fewer registers?",
                   "faster while more warps hide fetches, then level",
                   "T10 Fig. 4, 6, 16, 17",
                   {{"step", {0, 1, 2, 3, 4, 5}}, pair_of_warps},
                   stepwise(false)});
    all.push_back({"clause-usage",
                   "Is it the registers, or that the code is in more pieces?",
                   "constant: the same pieces, with all inputs fetched first",
                   "T10 Fig. 5",
                   {{"step", {0, 1, 2, 3, 4, 5}}, pair_of_warps},
                   stepwise(true)});
    Benchmark domain{"domain-size",
                     "How does the time of a computation grow with the number of threads?",
                     "linear in the waves of blocks that fill the device",
                     "T10 Fig. 15",
                     {{"blocks", {1, 2, 4, 8, 16, 32, 64}}, {"warps", {2}}},
                     [](const Axes&, const models::Architecture& architecture) {
                         Body body;
                         body.operations = 10 * 4 * body.inputs;
                         return fetch_and_compute(body, architecture);
                     }};
    domain.quantity = Quantity::ExecutionTime;
    all.push_back(std::move(domain));
    all.push_back(full_fetch_ratio("full-fetch-ratio", 1));
    all.push_back(full_fetch_ratio("full-fetch-ratio-wide", 4));
    all.push_back(full_read_latency("full-read-latency", 1));
    all.push_back(full_read_latency("full-read-latency-wide", 4));
    all.push_back(full_write_latency());
    all.push_back(full_register_usage());
    return all;
}

} // namespace warpbound::harness
