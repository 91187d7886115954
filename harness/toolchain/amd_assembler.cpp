#include "harness/toolchain/amd_assembler.hpp"

#include "assembly/support/source_text.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace warpbound::harness::toolchain {

std::optional<Tool> find_amd_assembler() {
    constexpr const char* of_rocm = "/opt/rocm/llvm/bin/clang";
    if (std::getenv(variable_of_tool("clang").c_str()) != nullptr)
        return find_tool_on_path("clang");
    std::error_code ignored;
    if (std::filesystem::exists(of_rocm, ignored)) return Tool{"clang", of_rocm};
    for (const char* name : {"amdclang", "clang-19", "clang"})
        if (auto found = find_tool_on_path(name)) return found;
    return std::nullopt;
}

Result<std::string> assemble_amd(const std::string& text, assembly::Target target) {
    constexpr std::size_t most_bytes = std::size_t{16} << 20U;
    constexpr std::chrono::minutes time_out{1};
    const auto clang = find_amd_assembler();
    if (!clang)
        return Failure{"AMD's assembly is assembled by clang, which was not found: install ROCm, "
                       "or clang-19 and lld-19, or name one in WARPBOUND_CLANG"};
    const WorkFolder folder;
    const auto file = folder.write("code.s", text);
    if (!file) return file.as_failure();
    const std::string made = (folder.path() / "code.hsaco").string();
    const auto output = output_of(*clang,
                                  {"-target", "amdgcn-amd-amdhsa", "-mcpu=" + to_string(target),
                                   "-x", "assembler", file.value(), "-o", made},
                                  folder, time_out);
    if (!output) return output.as_failure();
    auto image = assembly::read_source(made, most_bytes);
    if (!image) return image.as_failure();
    return std::move(image.value().text);
}

} // namespace warpbound::harness::toolchain
