#include "harness/toolchain/disassembler.hpp"

#include "assembly/support/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace warpbound::harness::toolchain {

namespace {

constexpr std::chrono::minutes compile_time_out{5};

/// The file that a tool wrote into the folder.
Result<std::string> written_by(const Tool& tool, const std::filesystem::path& path) {
    auto file = assembly::read_source(path);
    if (!file) return Failure{"wrote no result: " + file.error().what, tool.path};
    return std::move(file.value().text);
}

} // namespace

std::optional<Tool> find_disassembler() {
    for (const char* name : {"nvdisasm", "cuobjdump"})
        if (auto tool = find_tool_on_path(name)) return tool;
    for (const char* name : {"nvdisasm", "cuobjdump"})
        if (auto tool = find_tool(name)) return tool;
    return std::nullopt;
}

Result<std::string> disassemble(const Tool& tool, const std::string& image,
                                std::chrono::milliseconds time_out) {
    const WorkFolder folder;
    const auto file = folder.write("code.cubin", image);
    if (!file) return Failure{file.error().what, tool.name};
    const std::vector<std::string> arguments =
        tool.name == "nvdisasm" ? std::vector<std::string>{"-c", "-hex", "-g", file.value()}
                                : std::vector<std::string>{"-sass", file.value()};
    return output_of(tool, arguments, folder, time_out);
}

std::string version_of(const Tool& tool) {
    const WorkFolder folder;
    const auto text = output_of(tool, {"--version"}, folder, std::chrono::seconds{10});
    if (!text) return tool.name;
    const std::size_t at = text.value().rfind(", V"); // "release 13.0, V13.0.85"
    if (at == std::string::npos) return tool.name;
    const std::size_t end = text.value().find_first_not_of("0123456789.", at + 3);
    return fmt::format("{} {}", tool.name, text.value().substr(at + 3, end - at - 3));
}

Result<std::vector<std::string>> extract_cubins(const Tool& cuobjdump, const std::string& bytes) {
    const WorkFolder folder;
    const auto file = folder.write("code.bin", bytes);
    if (!file) return file.as_failure();
    const auto ran = output_of(cuobjdump, {"-xelf", "all", file.value()}, folder, compile_time_out);
    if (!ran) return ran.as_failure();
    std::vector<std::filesystem::path> paths;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator{folder.path(), ignored})
        if (entry.path().extension() == ".cubin") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> cubins;
    for (const auto& path : paths) {
        auto cubin = written_by(cuobjdump, path);
        if (!cubin) return cubin.as_failure();
        cubins.push_back(std::move(cubin).value());
    }
    return cubins;
}

Result<std::string> assemble_ptx(const Tool& ptxas, const std::string& ptx,
                                 assembly::Target target) {
    const WorkFolder folder;
    const auto file = folder.write("code.ptx", ptx);
    if (!file) return file.as_failure();
    const std::filesystem::path made = folder.path() / "made.cubin";
    const auto ran = output_of(
        ptxas, {"-arch=" + to_string(target), "-lineinfo", "-o", made.string(), file.value()},
        folder, compile_time_out);
    if (!ran) return ran.as_failure();
    return written_by(ptxas, made);
}

Result<std::string> compile_cuda(const Tool& nvcc, const std::string& source,
                                 const std::string& folder, assembly::Target target) {
    const WorkFolder work;
    const std::filesystem::path made = work.path() / "made.cubin";
    const std::filesystem::path absolute = std::filesystem::absolute(source);
    const auto ran = output_of(nvcc,
                               {"-x", "cu", "-cubin", "-arch=" + to_string(target), "-lineinfo",
                                "-I", folder, "-o", made.string(), absolute.string()},
                               work, compile_time_out);
    if (!ran) return ran.as_failure();
    return written_by(nvcc, made);
}

} // namespace warpbound::harness::toolchain
