#pragma once
/// \file
/// A microbenchmark as PTX.

#include "harness/ptx_kernel.hpp"
#include "harness/suite/emission/emission.hpp"

namespace warpbound::harness {

/// The header of a PTX module for a target: the first PTX release that knows it, or that of the
/// newest older target, whose code later GPUs run too. Refuses targets without a nanosecond timer
/// (before sm_30).
Result<std::string> ptx_header(assembly::Target target);

/// A kernel that executes `before`, reads the clock, executes `timed`, reads the clock and stores
/// its records. The registers of the operations, by their names:
///   %r<n> %f<n> %rd<n> %fd<n> %p<n>   32-bit integer, float, 64-bit integer, double, predicate;
///                                     a register that is read before it is written holds an
///                                     available value that is unknown to the compiler
///   %shared_by_<w>                    shared-memory address of the lane, w words after that of
///                                     the previous lane
///   %global_by_<b>                    global-memory address of the lane, b bytes after that of
///                                     the previous lane; warps use separate memory
///   %walk_by_<s>                      global-memory address at which a pointer chase begins; it
///                                     holds the address of the next element, s bytes on. The
///                                     fact of the load gives the footprint in bytes. Warps use
///                                     separate memory
/// With more than one iteration, `timed` is the body of a loop that is not unrolled; the loop
/// control takes an addition, a comparison and a branch per iteration, at positions that the
/// compiler chooses. The compiler merges equal operations on equal registers, and removes results
/// that are overwritten unread; an independent operation therefore reads the register that it
/// writes. Refuses an operation without PTX, naming it, a register name of another form, and in a
/// loop operations that could belong to the loop control.
Result<PtxKernel> emit_ptx(const std::string& entry, const std::vector<Operation>& before,
                           const std::vector<Operation>& timed, assembly::Target target,
                           std::int64_t trips = 1);

} // namespace warpbound::harness
