#pragma once
/// \file
/// Whether a compiler built what was meant between the two clock reads.

#include "harness/ptx_kernel.hpp"

#include <string>

namespace warpbound::harness::cuda {

struct SequenceVerdict {
    enum class State {
        Verified,
        Unverified, ///< Nobody could look; the reason is in the text.
        Differs,
    };
    State state = State::Unverified;
    std::string text; ///< "verified with nvdisasm", "unverified: ...", or the first difference.
};

/// Compares the instructions between the clock reads of a listing with those that were meant: how
/// many, the class of each, and which results of others each reads. Of a loop it is the body, with
/// the results of the same trip; the addition, comparison and branch of the loop may stand anywhere
/// in it, the branch last. Between them and the body nothing is read, also not of the trip before.
SequenceVerdict compare_sequence(const std::string& listing, const PtxKernel& kernel,
                                 const std::string& tool);

/// The same for machine code, with the listing of nvdisasm where it is on PATH, else of cuobjdump.
/// What they write to disk is removed.
SequenceVerdict check_sequence(const std::string& image, const PtxKernel& kernel);

} // namespace warpbound::harness::cuda
