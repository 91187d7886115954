#pragma once
/// \file
/// A few instructions executed by up to 64 threads: R4 to R11 are read from memory, R12 to R15
/// written.

#include "harness/execution/executed_launch.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpbound::tests {

using LaneInputWords = std::array<std::uint32_t, 8>;
using LaneOutputWords = std::array<std::uint32_t, 4>;

/// A listing of sm_75 code and its launch of one warp.
class Snippet {
public:
    /// `code`: between loads and stores. `threads`: of the block.
    explicit Snippet(const std::string& code, std::int64_t threads = 32);
    /// All of the code, which reads and writes nothing by itself.
    static Snippet whole(const std::string& code, std::int64_t threads = 32);

    void set_input(std::size_t lane, const LaneInputWords& words) { inputs_.at(lane) = words; }
    /// Every lane gets one of these, in turn.
    void set_inputs(const std::vector<LaneInputWords>& words);
    [[nodiscard]] const std::vector<LaneInputWords>& inputs() const { return inputs_; }

    Result<std::unique_ptr<harness::execution::ExecutedLaunch>>
    execute(std::int64_t instruction_limit = 10'000);
    /// What lanes wrote; a failure is one of the test.
    std::vector<LaneOutputWords> run();
    [[nodiscard]] const assembly::ControlFlowGraph& graph() const { return graph_; }
    [[nodiscard]] const assembly::Function& function() const { return program_.functions.front(); }

private:
    Snippet() = default;
    void read(const std::string& text);

    assembly::Program program_;
    assembly::ControlFlowGraph graph_;
    std::int64_t threads_ = 32;
    std::vector<LaneInputWords> inputs_ = std::vector<LaneInputWords>(64);
};

/// Pairs of these values that find mistakes: signs, limits, shifts beyond the width.
std::vector<LaneInputWords> edge_words();
/// Floats with zeros, subnormals, infinities and NaN.
std::vector<LaneInputWords> edge_floats();

} // namespace warpbound::tests
