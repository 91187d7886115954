#pragma once
/// \file
/// What a launch says of special registers and of words of constant bank 0.

#include "assembly/isa/program.hpp"
#include "certification/verify/flow/affine_form.hpp"
#include "certification/verify/flow/number_set.hpp"
#include "models/launch/launch.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace warpbound::certification::verify {

/// The shape of the blocks; none: not stated, and the code reads more of it than x.
std::optional<std::array<std::int64_t, 3>> extents_of_blocks(const assembly::Function& function,
                                                             const models::Launch& launch);

/// Which end of the ranges of thread and block indices.
enum class Corner { First, Last };

/// Threads of a block by the least and the largest of their indices x, y, z.
struct ThreadIndices {
    std::array<std::int64_t, 3> first{};
    std::array<std::int64_t, 3> last{};
    bool is_one_thread = false;   ///< Of the first block; else of all blocks.
    bool is_in_any_block = false; ///< Of one thread: of all blocks, too.
};
/// Those of the threads with these numbers, of which x counts first. `extents`: of a block.
ThreadIndices indices_between(std::int64_t first, std::int64_t last,
                              const std::array<std::int64_t, 3>& extents);

/// The values that the code reads from its launch: extents of block and grid, arguments, indices.
/// Words that the launch leaves open may hold anything. With a corner: those of the one thread
/// whose indices are all the first (last) ones, as far as the launch states the shapes.
class LaunchValues {
public:
    LaunchValues(const assembly::Function& function, const models::Launch& launch,
                 std::optional<Corner> corner = {});

    /// Of these threads alone. Requires: the shape of the blocks is known.
    LaunchValues(const assembly::Function& function, const models::Launch& launch,
                 const ThreadIndices& threads);

    /// Of the threads of a box. Requires: the shapes of grid and blocks are known.
    LaunchValues(const assembly::Function& function, const models::Launch& launch,
                 const ThreadBox& box);

    /// `offset`: in constant bank 0. `Unit:` bytes.
    [[nodiscard]] NumberSet word(std::int64_t offset) const;
    /// `name`: as listed, such as SR_TID.X.
    [[nodiscard]] NumberSet special(const std::string& name) const;
    /// One thread is meant: what other threads of its warp hold is not known.
    [[nodiscard]] bool is_one_thread() const { return is_one_thread_; }

private:
    std::map<std::int64_t, NumberSet> words_;
    std::map<std::string, NumberSet> specials_;
    bool is_one_thread_ = false;
};

} // namespace warpbound::certification::verify
