#pragma once
/// \file
/// Whether the code that a compiler built between the two clock reads is the intended one.

#include "harness/ptx_kernel.hpp"

#include <string>

namespace warpbound::harness::cuda {

struct SequenceVerdict {
    enum class State {
        Verified,
        Unverified, ///< The check was not possible; the reason is in the text.
        Differs,
    };
    State state = State::Unverified;
    std::string text; ///< "verified with nvdisasm", "unverified: ...", or the first difference.
};

/// Compares the instructions between the clock reads of a listing with the intended ones: their
/// number, the class of each, and which results of others each reads. For a loop the body is
/// compared, with the results of the same iteration. The addition, comparison and branch of the
/// loop control may be anywhere in it, the branch last. Loop control and body must not read each
/// other's results, not even across iterations.
SequenceVerdict compare_sequence(const std::string& listing, const PtxKernel& kernel,
                                 const std::string& tool);

/// The same for machine code, with the listing of nvdisasm where it is on PATH, else of cuobjdump.
/// Temporary files are removed.
SequenceVerdict check_sequence(const std::string& image, const PtxKernel& kernel);

} // namespace warpbound::harness::cuda
