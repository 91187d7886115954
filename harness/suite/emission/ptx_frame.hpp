#pragma once
/// \file
/// The frame that all generated kernels share.

#include <string>

namespace warpbound::harness {

/// The entry of a kernel with the parameters described at `PtxKernel`. `directives`: lines between
/// parameters and body.
std::string ptx_entry(const std::string& entry, const std::string& body,
                      const std::string& directives = {});

/// The end of a body: the first lane of a warp stores the record. Reads %lane, the warp's number in
/// the launch %warp, the address %records of the first record, %first, %last, %before and %after;
/// overwrites %records, %part, %wide and the predicate %leader. It ends with the label `done`.
std::string ptx_record();

} // namespace warpbound::harness
