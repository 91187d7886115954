#pragma once
/// \file
/// A microbenchmark as PTX.

#include "harness/ptx_kernel.hpp"
#include "harness/suite/emission.hpp"

namespace warpbound::harness {

/// The lines before the entries of a module for a target: the PTX release that knows it, or the
/// newest older target's, which every later GPU runs too. Refuses targets without a nanosecond
/// timer (before sm_30).
Result<std::string> ptx_header(assembly::Target target);

/// A kernel that executes `before`, reads the clock, executes `timed`, reads the clock and leaves
/// its records. The registers of the operations, by their names:
///   %r<n> %f<n> %rd<n> %fd<n> %p<n>   32-bit integer, float, 64-bit integer, double, predicate;
///   one
///                                     that is read before it is written holds something that the
///                                     compiler cannot know and that has arrived
///   %shared_by_<w>                    address in shared memory of the lane, w words after that of
///                                     the lane before it
///   %global_by_<b>                    address in global memory of the lane, b bytes after that of
///                                     the lane before it; warps are apart
///   %walk_by_<s>                      address in global memory that a walk begins at; what lies
///                                     there is the address of its next stop, s bytes on. The fact
///                                     of the load says how many bytes it goes over. Warps are
///                                     apart
/// With more than one trip, `timed` is the body of a loop that is not unrolled; its counter takes
/// an addition, a comparison and a branch in each trip, wherever the compiler puts them.
/// Two equal operations on equal registers are one to the compiler, and what is overwritten
/// unread is none: an independent operation reads the register that it writes. Refuses an operation
/// without PTX, naming it, a name of another form, and in a loop operations that could be its own.
Result<PtxKernel> emit_ptx(const std::string& entry, const std::vector<Operation>& before,
                           const std::vector<Operation>& timed, assembly::Target target,
                           std::int64_t trips = 1);

} // namespace warpbound::harness
