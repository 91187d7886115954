#pragma once
/// \file
/// Memory that an instruction accesses lane by lane: global, shared or local.

#include "harness/execution/step.hpp"

#include <cstddef>
#include <optional>

namespace warpbound::harness::execution {

/// Width of an access from the modifiers; 4 without one. `Unit:` bytes.
std::size_t access_bytes(const Step& step);
assembly::StateSpace space_of(const Step& step);

/// The bytes that a lane accesses in global or shared memory; null after it failed the step: the
/// address lies outside, or is no multiple of the width.
std::byte* find_bytes(Step& step, std::size_t lane, std::uint64_t address, std::size_t bytes,
                      bool is_written);
/// The same in shared memory.
std::byte* find_shared_bytes(Step& step, std::size_t lane, std::uint64_t address,
                             std::size_t bytes);

/// A word of local memory of a lane, which grows with the stack; null after it failed the step.
std::uint32_t* find_local_word(Step& step, std::size_t lane, std::uint64_t address);
/// Local addresses as lanes' words lie in memory: word by word, the lanes of a warp side by side.
Wides interleaved_local(const Step& step, const Wides& addresses);

/// The top of every thread's stack, in local memory.
inline constexpr std::uint32_t local_top = 0x00fff000;

} // namespace warpbound::harness::execution
