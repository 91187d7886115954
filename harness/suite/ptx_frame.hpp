#pragma once
/// \file
/// What every generated kernel has in common.

#include <string>

namespace warpbound::harness {

/// The entry of a kernel with the parameters that `PtxKernel` says. `directives`: lines between
/// them and the body.
std::string ptx_entry(const std::string& entry, const std::string& body,
                      const std::string& directives = {});

/// The end of a body: the first lane of a warp leaves its record. Reads %lane, the warp's number in
/// the launch %warp, the address %records of the first record, %first, %last, %before and %after;
/// overwrites %records, %part, %wide and the predicate %leader. The label `done` ends it.
std::string ptx_record();

} // namespace warpbound::harness
