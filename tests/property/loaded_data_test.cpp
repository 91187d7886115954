/// \file
/// Data that launches certainly load (S79, S88), behind random branches: `verify` finds who loads
/// what the analysis counts, and neither counts more than the threads of an executed launch load.

#include "analyzer/flow/data_footprint.hpp"
#include "certification/bundle/shown_data.hpp"
#include "certification/verify/memory/loaded_data.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/executed_integer_code.hpp"
#include "tests/support/loaded_data_rejection.hpp"
#include "tests/support/loads_behind_branches.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {
namespace {

namespace check = certification::verify;

constexpr analyzer::MemoryUnits sizes{32, 128};

struct Found {
    int launches = 0;        ///< That end.
    int counted = 0;         ///< Whose threads are sure to load something.
    int behind_branches = 0; ///< More than comparisons of forms show.
    int attacks = 0;         ///< With more than was loaded.
};

std::optional<Executed> drawn_kernel(RandomSource& random_source) {
    using Writer = LoadsBehindBranches;
    auto read = read_kernel(Writer{random_source}.write());
    if (!read) return std::nullopt;
    Executed& made = *read;
    const auto draw = [&](std::int64_t lo, std::int64_t hi) { return random_source.whole(lo, hi); };
    constexpr std::array<std::array<std::int64_t, 2>, 6> shapes{
        {{32, 1}, {64, 1}, {128, 1}, {96, 1}, {16, 4}, {8, 8}}};
    models::BlockShape shape;
    const auto& threads = shapes.at(static_cast<std::size_t>(draw(0, 5)));
    std::ranges::copy(threads, shape.threads.begin());
    models::GridShape grid;
    grid.blocks = {draw(1, 6), draw(1, 3), 1};
    put_shape(made, shape, grid);
    for (std::int64_t offset = Writer::first_argument; offset <= Writer::last_argument;
         offset += 4) {
        const std::int64_t columns = threads[0] * grid.blocks[0];
        const std::array<std::int64_t, 4> words{columns, columns - draw(1, 9), draw(0, 9),
                                                shape.count()};
        const auto word =
            static_cast<std::uint32_t>(words.at(static_cast<std::size_t>(draw(0, 3))));
        made.data.set(offset, word);
        if (draw(1, 6) > 1) made.stated.arguments[offset] = {word, 32};
    }
    const std::int64_t elements =
        16 + Writer::last_factor * (threads[0] + threads[1] + grid.blocks[0] + grid.blocks[1]) +
        threads[0] * grid.blocks[0];
    const std::vector<std::uint32_t> data(static_cast<std::size_t>(elements));
    made.data.set(Writer::data_argument, "a", data);
    made.data.set(Writer::data_argument + 8, "b", data);
    std::vector<std::uint32_t> flags(Writer::flags);
    for (std::uint32_t& flag : flags)
        flag = static_cast<std::uint32_t>(draw(-3, 300));
    made.data.set(Writer::flags_argument, "flags", flags);
    for (const std::int64_t offset :
         {Writer::data_argument, Writer::data_argument + 8, Writer::flags_argument}) {
        made.stated.arguments[offset] = {0, 8};
        made.stated.arguments[offset].is_disjoint = true;
    }
    return read;
}

/// The word of constant bank 0 by which a load of these kernels is addressed; none: no load.
std::optional<std::int64_t> pointer_of_load(const assembly::Instruction& instruction) {
    if (instruction.mnemonic != "LDG") return std::nullopt;
    for (const auto& operand : instruction.operands)
        if (const auto* place = std::get_if<assembly::MemoryOperand>(&operand))
            return LoadsBehindBranches::pointer_in(place->base->index.value());
    return std::nullopt;
}

/// Units of a size that the threads of the launch loaded and did not store to: of one buffer, or of
/// all.
std::int64_t units_loaded(const Executed& made, std::int64_t size,
                          std::optional<std::int64_t> pointer = {}) {
    std::set<std::uint64_t> units;
    std::set<std::uint64_t> stored;
    for (const Access& access : made.recorder.accesses) {
        const auto& instruction = made.data.function().instructions[access.instruction];
        const auto of = pointer_of_load(instruction);
        if (of && pointer && pointer != of) continue;
        for (const std::uint64_t address : access.addresses)
            (of ? units : stored).insert(address / static_cast<std::uint64_t>(size));
    }
    std::erase_if(units, [&](std::uint64_t unit) { return stored.contains(unit); });
    return static_cast<std::int64_t>(units.size());
}

/// One unit more than was loaded, of some load and all blocks.
void attack(const check::KernelCase& kernel, const Executed& made, RandomSource& random_source,
            Found& found) {
    const std::int64_t size = sizes.front();
    for (const assembly::Instruction& load : made.data.function().instructions) {
        const auto pointer = pointer_of_load(load);
        if (!pointer || random_source.whole(1, 4) > 1) continue;
        check::LoadedSetRow set;
        set.load = load.address;
        set.pointer = *pointer;
        for (std::size_t i = 0; i < set.last_block.size(); ++i)
            set.last_block[i] = made.stated.grid->blocks[i] - 1;
        set.units = units_loaded(made, size, pointer) + 1;
        const check::LoadedDataRow row{.bytes = size, .units = set.units, .sets = {set}};
        ASSERT_THAT(rejection_of(kernel, row), testing::HasSubstr("loads like that"));
        ++found.attacks;
    }
}

void check_case(RandomSource& random_source, Found& found) {
    auto made = drawn_kernel(random_source);
    if (!made || !run(*made)) return;
    SCOPED_TRACE(made->text + models::to_string(made->stated));
    ++found.launches;
    const assembly::Function& function = made->data.function();
    const auto data_by = [&](analyzer::EdgesBy edges) {
        return analyzer::least_loaded_data(function, made->data.graph, made->stated, {}, sizes,
                                           edges);
    };
    const auto loaded = data_by(analyzer::EdgesBy::Execution);
    check::KernelCase kernel;
    kernel.id = "K1";
    kernel.function = &function;
    kernel.launch = made->stated;
    kernel.loads_through_caches = true;
    attack(kernel, *made, random_source, found);
    if (loaded.units[0] == 0) return;
    ++found.counted;
    if (loaded.units != data_by(analyzer::EdgesBy::Forms).units) ++found.behind_branches;
    for (std::size_t size = 0; size < sizes.size(); ++size) {
        ASSERT_LE(loaded.units[size], units_loaded(*made, sizes[size]));
        const auto row =
            certification::row_of({sizes[size], loaded.units[size], loaded.sets[size]});
        EXPECT_EQ(rejection_of(kernel, row), "");
    }
}

TEST(LoadedDataProperty, TheCheckFindsWhoLoadsWhatTheAnalysisCounts) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 400));
    Found found;
    for_seeds(cases, [&](RandomSource& random_source) { check_case(random_source, found); });
    fmt::print("{} launches, {} counted, {} behind branches, {} attacks\n", found.launches,
               found.counted, found.behind_branches, found.attacks);
    EXPECT_GT(found.counted, cases / 4);
    EXPECT_GT(found.behind_branches, cases / 40);
    EXPECT_GT(found.attacks, cases / 4);
}

} // namespace
} // namespace warpbound::tests
