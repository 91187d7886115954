#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"

#include <cstdlib>

/// Accepted input prints the same after printing and reading it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound::assembly;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto program = read_program({.name = "fuzz", .text = text});
    if (!program) return 0;
    for (const auto& function : program.value().functions)
        for (const auto& instruction : function.instructions)
            static_cast<void>(instruction.effects);
    const std::string printed = print(program.value());
    const auto again = read_program({.name = "fuzz", .text = printed});
    if (!again || print(again.value()) != printed) std::abort();
    return 0;
}
