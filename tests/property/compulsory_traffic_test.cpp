/// \file
/// Compulsory traffic (S79): executed launches of random affine kernels, several of them back to
/// back on caches that the first ones fill, take no less than the lower bound; no more data are
/// counted than the threads load; and evidence claims the same bound, which the verifier derives.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/certificate.hpp"
#include "analyzer/flow/data_footprint.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/bundle/shown_data.hpp"
#include "certification/verify/memory/least_traffic.hpp"
#include "certification/verify/memory/loaded_data.hpp"
#include "harness/execution/executed_launch.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/loaded_data_rejection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {
namespace {

constexpr std::array<std::int64_t, 2> pointers{0x160, 0x168};
constexpr std::int64_t limit_offset = 0x170;
constexpr std::int64_t store_pointer = 0x178;
constexpr std::int64_t element = 4; ///< `Unit:` bytes.

/// An index that every thread computes: a sum of its own indices with factors.
struct IndexForm {
    std::array<std::int64_t, 4> factors{}; ///< Of thread x and y, block x and y.
    std::int64_t constant = 0;
};

/// A load of the element of this index.
struct RandomLoad {
    std::size_t buffer = 0;
    IndexForm index;
    std::int64_t width = 1; ///< Elements.
    bool is_read_only = false;
    bool is_guarded = false;
};

/// Threads load elements of affine indices; those beyond a limit leave, or skip some loads. The
/// limit may be one of the index plus the iterations of a loop, which no comparison of affine forms
/// decides.
class AffineKernel {
public:
    explicit AffineKernel(RandomSource& random_source) : random_{random_source} {
        constexpr std::array<std::array<std::int64_t, 2>, 5> shapes{
            {{32, 1}, {96, 1}, {128, 1}, {16, 4}, {8, 8}}};
        shape = shapes[static_cast<std::size_t>(random_.whole(0, 4))];
        grid = {random_.whole(1, 12), shape[1] == 1 ? 1 : random_.whole(1, 5)};
        const std::int64_t columns = shape[0] * grid[0];
        limit = one_in(3) ? columns - random_.whole(1, columns / 2) : columns;
        stores_to = one_in(4) ? 0 : one_in(4) ? std::optional<std::size_t>{} : 2;
        leaves = one_in(2);
        for (std::int64_t left = random_.whole(1, 3); left > 0; --left)
            loads.push_back(random_load());
        const bool reads_only = std::ranges::any_of(loads, &RandomLoad::is_read_only);
        is_one_buffer = one_in(3) && (!reads_only || !stores_to || *stores_to == 2);
        iterations = one_in(3) ? random_.whole(1, 20) : 0;
        write();
    }

    [[nodiscard]] models::Launch launch(const std::string& words) const {
        return models::parse_launch(fmt::format("{}x{},block={}x{},grid={}x{},0x{:x}={},{}",
                                                grid[0] * grid[1], shape[0] * shape[1], shape[0],
                                                shape[1], grid[0], grid[1], limit_offset,
                                                limit + iterations, words))
            .value();
    }

    /// Bytes that a buffer needs.
    [[nodiscard]] std::int64_t bytes_of(std::size_t buffer) const {
        std::int64_t most = own_index(shape[0] * grid[0] - 1, shape[1] * grid[1] - 1);
        for (const RandomLoad& load : loads)
            if (load.buffer == buffer || is_one_buffer)
                most = std::max(most, ends_of(load.index).second + 4);
        return (most + 1) * element;
    }

    /// Units of this size that threads load; buffers begin at multiples of it.
    [[nodiscard]] std::int64_t loaded_units(std::int64_t size) const {
        std::set<std::pair<std::size_t, std::int64_t>> units;
        for_each_thread([&](const std::array<std::int64_t, 4>& at) {
            const bool is_inside = at[0] + at[2] * shape[0] < limit;
            if (leaves && !is_inside) return;
            for (const RandomLoad& load : loads) {
                if (load.is_guarded && !is_inside) continue;
                const std::size_t buffer = is_one_buffer ? 0 : load.buffer;
                const std::int64_t index = value_of(load.index, at);
                units.emplace(buffer, index * element / size);
                units.emplace(buffer, ((index + load.width) * element - 1) / size);
            }
        });
        return static_cast<std::int64_t>(units.size());
    }

    std::string text;
    std::array<std::int64_t, 2> shape{};
    std::array<std::int64_t, 2> grid{};
    std::int64_t limit = 0;      ///< Of the index in x.
    bool leaves = false;         ///< Threads beyond the limit.
    std::int64_t iterations = 0; ///< Of the loop before the comparison; 0: there is none.
    bool is_one_buffer = false;  ///< Both pointers that are loaded from point to one.
    /// The buffer that is stored to: 2 is one of its own; none: nothing is stored.
    std::optional<std::size_t> stores_to;
    std::vector<RandomLoad> loads;

private:
    bool one_in(std::int64_t n) { return random_.whole(1, n) == 1; }
    void add(const std::string& line) { text += line + " ?trans6;\n"; }

    /// Of a matrix by rows.
    [[nodiscard]] std::int64_t own_index(std::int64_t x, std::int64_t y) const {
        return y * shape[0] * grid[0] + x;
    }

    static std::int64_t value_of(const IndexForm& form, const std::array<std::int64_t, 4>& at) {
        std::int64_t value = form.constant;
        for (std::size_t i = 0; i < at.size(); ++i)
            value += form.factors[i] * at[i];
        return value;
    }

    [[nodiscard]] std::array<std::int64_t, 4> extents() const {
        return {shape[0], shape[1], grid[0], grid[1]};
    }

    template <class Each> void for_each_thread(Each each) const {
        std::array<std::int64_t, 4> at{};
        for (at[3] = 0; at[3] < grid[1]; ++at[3])
            for (at[2] = 0; at[2] < grid[0]; ++at[2])
                for (at[1] = 0; at[1] < shape[1]; ++at[1])
                    for (at[0] = 0; at[0] < shape[0]; ++at[0])
                        each(at);
    }

    [[nodiscard]] std::pair<std::int64_t, std::int64_t> ends_of(const IndexForm& form) const {
        std::pair ends{form.constant, form.constant};
        for (std::size_t i = 0; i < form.factors.size(); ++i) {
            const std::int64_t most = form.factors[i] * (extents()[i] - 1);
            ends.first += std::min<std::int64_t>(0, most);
            ends.second += std::max<std::int64_t>(0, most);
        }
        return ends;
    }

    RandomLoad random_load() {
        RandomLoad load;
        load.buffer = static_cast<std::size_t>(random_.whole(0, 1));
        load.is_read_only = stores_to != std::optional{load.buffer} && one_in(2);
        load.is_guarded = one_in(4);
        load.width = one_in(4) ? 4 : 1;
        const std::int64_t row = shape[0] * grid[0];
        const std::int64_t column = shape[1] * grid[1];
        auto& factors = load.index.factors;
        switch (random_.whole(1, 5)) {
        case 1: // Rows.
            factors = {1, row, shape[0], row * shape[1]};
            break;
        case 2: // Columns.
            factors = {column, 1, column * shape[0], shape[1]};
            break;
        case 3: // Rows with room between them, or that overlap.
            factors = {1, row + random_.whole(-20, 40), shape[0] + random_.whole(-6, 20), 0};
            factors[3] = factors[1] * shape[1];
            break;
        case 4: // A stride.
            factors = {random_.whole(1, 20), random_.whole(0, 90), random_.whole(0, 200),
                       random_.whole(0, 700)};
            break;
        default: // From the last one on.
            factors = {-1, -row, -shape[0], -row * shape[1]};
        }
        for (std::int64_t& factor : factors)
            factor *= load.width;
        load.index.constant =
            load.width * random_.whole(0, 5) - std::min<std::int64_t>(0, ends_of(load.index).first);
        return load;
    }

    void write() {
        text = "!Arch sm_75\n!Kernel k\n";
        add("S2R R0, SR_TID.X");
        add("S2R R1, SR_TID.Y");
        add("S2R R2, SR_CTAID.X");
        add("S2R R3, SR_CTAID.Y");
        add(fmt::format("IMAD R4, R2, 0x{:x}, R0", shape[0]));
        add(fmt::format("IMAD R5, R3, 0x{:x}, R1", shape[1]));
        add("MOV R20, RZ");
        if (iterations > 0) {
            text += "L:\n";
            add("IADD3 R20, R20, 0x1, RZ");
            add(fmt::format("ISETP.GE.AND P2, PT, R20, 0x{:x}, PT", iterations));
            add("@!P2 BRA L");
        }
        add("IADD3 R21, R4, R20, RZ");
        add(fmt::format("ISETP.GE.AND P0, PT, R21, c[0x0][0x{:x}], PT", limit_offset));
        if (leaves) add("@P0 EXIT");
        add("MOV R6, 0x4");
        for (const RandomLoad& load : loads)
            write_load(load);
        if (stores_to) write_store();
        add("EXIT");
        text += "!EndKernel\n";
    }

    void write_load(const RandomLoad& load) {
        add(fmt::format("MOV R8, 0x{:x}", load.index.constant));
        for (std::size_t i = 0; i < load.index.factors.size(); ++i)
            add(fmt::format("IMAD R8, R{}, {}0x{:x}, R8", i, load.index.factors[i] < 0 ? "-" : "",
                            std::abs(load.index.factors[i])));
        const std::string guard = load.is_guarded ? "@!P0 " : "";
        const std::int64_t pointer = pointers[load.buffer];
        if (one_in(2)) {
            add(fmt::format("{}IMAD.WIDE R10, R8, R6, c[0x0][0x{:x}]", guard, pointer));
        } else {
            add("SHF.R.S32.HI R9, RZ, 0x1f, R8");
            add(fmt::format("{}LEA R10, P1, R8, c[0x0][0x{:x}], 0x2", guard, pointer));
            add(fmt::format("{}LEA.HI.X R11, R8, c[0x0][0x{:x}], R9, 0x2, P1", guard, pointer + 4));
        }
        add(fmt::format("{}LDG.E{}{}.SYS R12, [R10]", guard, load.width == 4 ? ".128" : "",
                        load.is_read_only ? ".CONSTANT" : ""));
    }

    void write_store() {
        const std::int64_t pointer = *stores_to == 2 ? store_pointer : pointers[*stores_to];
        add(fmt::format("IMAD R8, R5, 0x{:x}, R4", shape[0] * grid[0]));
        add(fmt::format("IMAD.WIDE R10, R8, R6, c[0x0][0x{:x}]", pointer));
        add("STG.E.SYS [R10], R6");
    }

    RandomSource& random_;
};

/// The caches of a card, with few sets and slow memory.
models::Architecture small_caches(RandomSource& random_source) {
    auto machine = models::load_architecture("turing-rtx2080ti").value();
    machine.fetch = {};
    machine.register_file = {};
    std::erase_if(machine.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "constant"; });
    const auto power = [&](std::int64_t most) {
        return std::int64_t{1} << random_source.whole(0, most);
    };
    const std::int64_t channels = power(2);
    const std::int64_t slices = channels * power(1);
    const std::int64_t sets = power(2);
    const std::int64_t ways = power(2);
    const std::int64_t first_sets = power(1);
    const std::int64_t first_ways = power(2);
    const std::int64_t row_hit = random_source.whole(1, 30);
    const std::string assumed = fmt::format(
        "l1/sets={} l1/ways={} l1/size={} l1/invalidate={} l2/slices={} l2/sets={} l2/ways={} "
        "l2/size={} l2/service={}..{} dram/channels={} dram/row-hit={}..{} dram/row-miss={} "
        "dram/refresh-duration=0 interconnect/service={}..{}",
        first_sets, first_ways, 128 * first_sets * first_ways, random_source.whole(0, 1), slices,
        sets, ways, 128 * slices * sets * ways, random_source.whole(1, 20), 20, channels, row_hit,
        row_hit + random_source.whole(0, 3), row_hit + 40, random_source.whole(1, 8), 8);
    std::istringstream values{assumed};
    for (std::string value; values >> value;)
        EXPECT_TRUE(models::assume_value(machine, "memories/" + value)) << value;
    return machine;
}

struct Prepared {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    [[nodiscard]] const assembly::Function& function() const { return program.functions.front(); }
};

Prepared prepared(const AffineKernel& kernel) {
    Prepared made;
    auto program = assembly::read_program({"random", kernel.text});
    EXPECT_TRUE(program) << to_string(program.error()) << kernel.text;
    made.program = std::move(program).value();
    made.graph = assembly::build_control_flow_graph(made.function()).value();
    return made;
}

/// The launch on data, with the addresses of its buffers.
Result<std::unique_ptr<harness::execution::ExecutedLaunch>> executed(const AffineKernel& kernel,
                                                                     const Prepared& code) {
    harness::execution::LaunchInputs inputs{&code.function(), &code.graph, {}, {}};
    std::string words;
    for (std::size_t buffer = 0; buffer < 3; ++buffer) {
        harness::execution::Buffer memory;
        memory.name = fmt::format("b{}", buffer);
        memory.bytes.resize(static_cast<std::size_t>(kernel.bytes_of(buffer)));
        const bool is_first = buffer == 1 && kernel.is_one_buffer;
        const std::uint64_t base =
            is_first ? inputs.memory.buffers().front().base : inputs.memory.add(std::move(memory));
        const std::int64_t offset = buffer == 2 ? store_pointer : pointers[buffer];
        words += fmt::format("{}0x{:x}={},0x{:x}={}", buffer == 0 ? "" : ",", offset,
                             base & 0xffffffffU, offset + 4, base >> 32U);
    }
    inputs.launch = kernel.launch(words);
    return harness::execution::ExecutedLaunch::run(std::move(inputs));
}

struct Found {
    int bound_by_dram = 0;
    int bound_by_requests = 0;
    int counted = 0;  ///< Data of some buffer.
    int disjoint = 0; ///< Of several.
    int launches = 0;
    int claimed = 0;      ///< Evidence rests on data.
    int behind_loops = 0; ///< The same, of which the execution of a loop shows who loads them.
};

namespace check = certification::verify;

/// Evidence claims what was bounded, the verifier finds the same sum, and not one unit more.
void check_evidence(analyzer::Request request, const analyzer::SideResult& bounded, Found& found) {
    analyzer::CertificateStore certificates;
    request.follow_branches = false; // Facts in use contain what follows from the code.
    request.loads_through_caches = true;
    request.certificates = &certificates;
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const analyzer::SideResult& claimed = analysis.value().execution_time.lower;
    ASSERT_EQ(claimed.loaded.has_value(), bounded.loaded.has_value());
    if (!claimed.loaded) return;
    ++found.claimed;
    EXPECT_EQ(claimed.proved, bounded.proved);
    check::KernelCase kernel;
    kernel.id = "K1";
    kernel.function = request.function;
    kernel.architecture = *request.architecture;
    kernel.facts = *request.facts;
    kernel.launch = request.launch;
    kernel.loads_through_caches = true;
    const check::LoadedDataRow row = certification::row_of(*claimed.loaded);
    EXPECT_EQ(rejection_of(kernel, row), "");
    const auto sums = check::sums_of_loaded_data(kernel, request.multiprocessors, row);
    std::vector<check::Term> terms;
    for (const auto& term : claimed.terms)
        terms.push_back({term.count, term.cycles, term.certificate});
    EXPECT_TRUE(std::ranges::find(sums, terms) != sums.end());
    for (std::size_t set = 0; set < row.sets.size(); ++set) {
        check::LoadedDataRow more = row;
        ++more.sets[set].units;
        ++more.units;
        EXPECT_NE(rejection_of(kernel, more), "");
    }
}

void check_case(RandomSource& random_source, Found& found) {
    const AffineKernel kernel{random_source};
    const models::Architecture machine = small_caches(random_source);
    // The bounds' latencies contain the queueing delay of any launch here, as the analysis demands.
    models::Architecture with_queueing = machine;
    ASSERT_TRUE(models::assume_value(
        with_queueing, fmt::format("memories/dram/latency={}..1000000",
                                   machine.memory("dram")->find("latency")->interval->lo)));
    const Prepared code = prepared(kernel);
    const bool states_buffers = !kernel.is_one_buffer && random_source.whole(1, 4) > 1;
    const char* const pointer = states_buffers ? "disjoint" : "multiple";
    const models::Launch launch =
        kernel.launch(fmt::format("0x160={0}:256,0x168={0}:256,0x178={0}:256", pointer));
    const auto facts =
        analyzer::facts_in_use(code.function(), code.graph, machine, launch, {}).value();
    const auto loaded =
        analyzer::least_loaded_data(code.function(), code.graph, launch, facts, {32, 128});
    for (std::size_t size = 0; size < 2; ++size) {
        const std::int64_t bytes = size == 0 ? 32 : 128;
        ASSERT_LE(loaded.units[size], kernel.loaded_units(bytes))
            << kernel.text << models::to_string(launch);
    }
    if (loaded.units[0] > 0) ++found.counted;
    if (loaded.trusts_buffers) ++found.disjoint;
    analyzer::Request request;
    request.function = &code.function();
    request.graph = &code.graph;
    request.architecture = &with_queueing;
    request.facts = &facts;
    request.launch = launch;
    request.multiprocessors = random_source.whole(1, 4);
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error()) << kernel.text;
    const analyzer::SideResult& lower = analysis.value().execution_time.lower;
    const std::string term = lower.terms.empty() ? "" : lower.terms.front().text;
    if (term.find("no cache can hold") != std::string::npos) ++found.bound_by_dram;
    if (term.find("no L1 can hold") != std::string::npos) ++found.bound_by_requests;
    const int claimed_before = found.claimed;
    check_evidence(request, lower, found);
    const auto by_forms = analyzer::least_loaded_data(code.function(), code.graph, launch, facts,
                                                      {32, 128}, analyzer::EdgesBy::Forms);
    if (by_forms.units != loaded.units) found.behind_loops += found.claimed - claimed_before;
    ASSERT_FALSE(testing::Test::HasFailure())
        << kernel.text << models::to_string(launch) << " on " << request.multiprocessors;

    const auto run = executed(kernel, code);
    ASSERT_TRUE(run) << to_string(run.error()) << kernel.text;
    const models::FlowFacts none;
    const harness::Kernel of_run{&code.function(), &code.graph, &none, launch, run.value().get()};
    const models::HostOperation again{.kind = models::HostOperationKind::Launch, .stream = 0};
    const harness::Workload workload{{of_run}, {again, again, again}};
    const auto simulated = harness::simulator::WorkloadMachine::prepare(
        machine, workload, models::read_policy("gto").value(), request.multiprocessors,
        harness::simulator::Range{0, 0});
    ASSERT_TRUE(simulated) << to_string(simulated.error());
    for (const auto draw : {harness::Draw::Uniform, harness::Draw::AllLow}) {
        const auto observed = simulated.value()->run({1, draw, {}});
        ASSERT_TRUE(observed) << to_string(observed.error());
        std::int64_t before = 0;
        for (const auto& operation : observed.value().operations) {
            const std::int64_t cycles = operation.ended - before;
            before = operation.ended;
            ++found.launches;
            ASSERT_LE(lower.proved.count(), cycles)
                << term << "\n"
                << kernel.text << models::to_string(launch) << " on " << request.multiprocessors
                << " multiprocessors";
        }
    }
}

TEST(CompulsoryTrafficProperty, NoExecutedLaunchOnWarmCachesIsFasterThanTheLowerBound) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 150));
    Found found;
    for_seeds(cases, [&](RandomSource& random_source) { check_case(random_source, found); });
    RecordProperty("launches", found.launches);
    RecordProperty("bound_by_dram", found.bound_by_dram);
    RecordProperty("bound_by_requests", found.bound_by_requests);
    RecordProperty("claimed", found.claimed);
    RecordProperty("behind_loops", found.behind_loops);
    EXPECT_GT(found.counted, cases / 2);
    EXPECT_GT(found.bound_by_dram, cases / 10);
    EXPECT_GT(found.bound_by_requests, 0);
    EXPECT_EQ(found.claimed, found.bound_by_dram + found.bound_by_requests);
    EXPECT_GT(found.disjoint, cases / 10);
    EXPECT_GT(found.behind_loops, cases / 50);
}

} // namespace
} // namespace warpbound::tests
