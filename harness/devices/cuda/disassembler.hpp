#pragma once
/// \file
/// The toolkit's disassemblers, run as programs.

#include "assembly/support/result.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace warpbound::harness::cuda {

struct Disassembler {
    std::string name; ///< "nvdisasm" or "cuobjdump".
    std::string path;
};

/// nvdisasm where it is on PATH, else cuobjdump.
std::optional<Disassembler> find_disassembler();

/// The listing of machine code. The tool reads a file in a temporary folder, which is then removed.
/// Refuses a tool that does not start, fails, writes more than 64 MiB or does not end within the
/// time-out; the tool is then killed.
Result<std::string> disassemble(const Disassembler& tool, const std::string& image,
                                std::chrono::milliseconds time_out = std::chrono::minutes{1});

} // namespace warpbound::harness::cuda
