#pragma once
/// \file
/// Launches of random integer code, executed thread by thread.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/execution/executed_launch.hpp"
#include "tests/support/executed_everyday.hpp"
#include "tests/support/random_integer_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {

inline constexpr std::size_t lane_count = 32;

/// One execution of an access to memory.
struct Access {
    std::size_t instruction = 0;
    std::vector<std::uint64_t> addresses; ///< Of the lanes that execute it.
    std::vector<std::size_t> lanes;       ///< These lanes.
};

class AccessRecorder final : public harness::execution::IssueListener {
public:
    Result<void> begun(const assembly::Function& /*function*/,
                       const models::Launch& /*launch*/) override {
        return boost::outcome_v2::success();
    }
    void issued(const harness::execution::WarpIssue& issue) override {
        if (issue.addresses == nullptr) return;
        Access access{issue.instruction, {}, {}};
        for (std::size_t lane = 0; lane < lane_count; ++lane)
            if ((issue.lanes >> lane & 1U) != 0) {
                access.addresses.push_back((*issue.addresses)[lane]);
                access.lanes.push_back(lane);
            }
        accesses.push_back(std::move(access));
    }
    Result<void> block_ended(const harness::execution::Extents& /*index*/) override {
        return boost::outcome_v2::success();
    }

    std::vector<Access> accesses;
};

/// Lines of 128 bytes (C22).
inline std::int64_t lines_of(const Access& access) {
    std::set<std::uint64_t> lines;
    for (const std::uint64_t address : access.addresses)
        lines.insert(address / 128);
    return static_cast<std::int64_t>(lines.size());
}

/// Words on the fullest of 32 banks, summed over groups of lanes that together are as wide as the
/// banks (C22). `words`: of each lane.
inline std::int64_t bank_degree_of(const Access& access, std::size_t words) {
    std::map<std::size_t, std::map<std::uint64_t, std::set<std::uint64_t>>> groups;
    for (std::size_t i = 0; i < access.lanes.size(); ++i)
        for (std::size_t word = 0; word < words; ++word) {
            const std::uint64_t number = access.addresses[i] / 4 + word;
            groups[access.lanes[i] * words / 32][number % 32].insert(number);
        }
    std::size_t sum = 0;
    for (const auto& [group, banks] : groups) {
        std::size_t most = 0;
        for (const auto& [bank, on_bank] : banks)
            most = std::max(most, on_bank.size());
        sum += most;
    }
    return static_cast<std::int64_t>(sum);
}

/// An executed launch of a kernel, and what is stated of it.
struct Executed {
    std::string text;
    DataLaunch data;
    models::Launch stated; ///< Without some arguments.
    AccessRecorder recorder;
    std::unique_ptr<harness::execution::ExecutedLaunch> run;
};

/// A kernel without a launch; nothing where it has no path to an end.
inline std::optional<Executed> read_kernel(std::string text) {
    Executed made;
    made.text = std::move(text);
    auto program = assembly::read_program({"random", made.text});
    EXPECT_TRUE(program) << to_string(program.error()) << made.text;
    if (!program) return std::nullopt;
    made.data.program = std::move(program.value());
    auto graph = assembly::build_control_flow_graph(made.data.function());
    if (!graph) return std::nullopt; // E.g. a loop without an exit.
    made.data.graph = std::move(graph.value());
    return made;
}

/// Of its launch, all of which is stated.
inline void put_shape(Executed& made, const models::BlockShape& shape,
                      const models::GridShape& grid) {
    auto& launch = made.data.launch;
    launch.blocks = grid.count();
    launch.threads = shape.count();
    launch.shape = shape;
    launch.grid = grid;
    made.stated = launch;
}

/// A random kernel for a target such as "sm_75", and a launch of it; nothing where it has no path
/// to an end.
inline std::optional<Executed> drawn_launch(RandomSource& random_source, const std::string& arch) {
    auto read = read_kernel(IntegerCodeWriter{random_source}.write(arch));
    if (!read) return std::nullopt;
    Executed& made = *read;
    const auto draw = [&](std::int64_t lo, std::int64_t hi) { return random_source.whole(lo, hi); };
    constexpr std::array<std::int64_t, 8> widths{1, 7, 16, 32, 33, 40, 64, 96};
    models::BlockShape shape;
    shape.threads[0] = widths.at(static_cast<std::size_t>(draw(0, 7)));
    shape.threads[1] = draw(1, 3) == 1 ? draw(2, 3) : 1;
    models::GridShape grid;
    grid.blocks = {draw(1, 3), draw(1, 2), 1};
    put_shape(made, shape, grid);
    constexpr std::array<std::uint32_t, 10> words{
        0, 1, 3, 8, 16, 31, 0xffffffff, 0x80000000, 0x7fffffff, 0xfffffffe};
    for (std::int64_t offset = IntegerCodeWriter::first_argument;
         offset <= IntegerCodeWriter::last_argument; offset += 4) {
        const std::uint32_t word = draw(1, 3) == 1 ? static_cast<std::uint32_t>(draw(-6, 100))
                                                   : words.at(static_cast<std::size_t>(draw(0, 9)));
        made.data.set(offset, word);
        if (draw(1, 6) > 1) made.stated.arguments[offset] = {word, 32};
    }
    std::vector<std::uint32_t> data(IntegerCodeWriter::data_bytes / 4);
    for (std::uint32_t& word : data)
        word = static_cast<std::uint32_t>(draw(-3, 300));
    made.data.set(IntegerCodeWriter::data_argument, "data", data);
    made.data.launch.shared_memory = made.stated.shared_memory = IntegerCodeWriter::data_bytes;
    return read;
}

/// Runs the kernel; false: it does not end soon.
inline bool run(Executed& made) {
    constexpr std::int64_t limit = 20'000;
    auto executed = harness::execution::ExecutedLaunch::run({&made.data.function(),
                                                             &made.data.graph,
                                                             made.data.launch,
                                                             made.data.memory,
                                                             {},
                                                             limit,
                                                             &made.recorder});
    if (!executed) {
        const std::string why = to_string(executed.error());
        // A barrier to which lanes come apart.
        EXPECT_TRUE(why.find("without ending") != std::string::npos ||
                    why.find("reach it") != std::string::npos ||
                    why.find("BAR") != std::string::npos)
            << why << made.text;
        return false;
    }
    made.run = std::move(executed.value());
    return true;
}

} // namespace warpbound::tests
