#pragma once
/// \file
/// Control fields as text: `&req={0,1} &wr=0x2 &rd=0x0 ?trans4`, as newer disassemblers write them.

#include "assembly/isa/control.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::assembly {

/// Parsed annotation. Without its `?` word the stall count is not known.
struct Annotation {
    Control control;
    bool has_stall = false;
};

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
