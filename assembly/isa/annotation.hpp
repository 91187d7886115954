#pragma once
/// \file
/// Control fields as text: `&req={0,1} &wr=0x2 &rd=0x0 ?trans4`, as newer disassemblers write them.

#include "assembly/isa/control.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::assembly {

/// Parsed annotation. Without its `?` word the stall count is not known.
struct Annotation {
    Control control;
    bool has_stall = false;
};

/// `{0,4}`: bit i for scoreboard i; nothing for other text.
std::optional<std::uint8_t> scoreboards_of_list(std::string_view list);

/// Where the annotation begins: `&` or `?` and a letter after a blank; npos when there is none.
std::size_t annotation_start(std::string_view text);

/// Adds one word to an annotation; false when it has no known form or repeats an earlier word.
bool read_annotation_word(std::string_view word, Annotation& annotation);

/// False when an annotation contradicts the control field of an encoding. `reuse` and dual issue
/// have no word and are not compared.
bool agrees(const Annotation& annotation, const Control& decoded);

/// `&req={0} &wr=0x1 ?trans4`. Reading it gives the control field without `reuse`.
std::string print_annotation(const Control& control);

} // namespace warpbound::assembly
