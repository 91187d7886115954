#pragma once
/// \file
/// Programs of the CUDA toolkit: where they are, and running them with limits.

#include "assembly/support/result.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::toolchain {

/// A program of the toolkit, such as "nvdisasm".
struct Tool {
    std::string name;
    std::string path;
};

/// Looks in the variable WARPBOUND_<NAME>, on PATH, in /usr/local/cuda/bin and CUDA_HOME/bin, and
/// where NVIDIA's Python wheels put programs. An empty variable means that the program is not used.
/// Nothing: it was not found.
std::optional<Tool> find_tool(const std::string& name);
/// The same on PATH and in the variable only.
std::optional<Tool> find_tool_on_path(const std::string& name);

/// "WARPBOUND_NVDISASM".
std::string variable_of_tool(const std::string& name);

/// A private folder with files, removed at the end.
class WorkFolder {
public:
    WorkFolder();
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    /// The path of a new file of this name with these bytes.
    [[nodiscard]] Result<std::string> write(const std::string& name,
                                            const std::string& bytes) const;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_; ///< Empty: it could not be made.
};

/// What a program wrote to standard output. Refuses a program that does not start, fails, writes
/// more than 64 MiB or does not end within the time-out; it is then killed. The refusal ends with
/// the first line that it wrote to standard error. `folder`: where it runs, and where that is kept.
Result<std::string> output_of(const Tool& tool, const std::vector<std::string>& arguments,
                              const WorkFolder& folder, std::chrono::milliseconds time_out);

} // namespace warpbound::harness::toolchain
