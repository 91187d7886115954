#include "harness/toolchain/program_run.hpp"

#include "assembly/support/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

// The environment of this process; POSIX has no header that declares it.
extern char** environ; // NOLINT(readability-redundant-declaration)

namespace warpbound::harness::toolchain {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_bytes = std::size_t{64} << 20U;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

bool is_program(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> folders_on_path() {
    std::vector<fs::path> folders;
    const std::string all = variable("PATH");
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find(':', begin), all.size());
        if (end > begin) folders.emplace_back(all.substr(begin, end - begin));
        begin = end + 1;
    }
    return folders;
}

/// Subfolders in the order of their names.
std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error))
        if (std::error_code ignored; entry->is_directory(ignored)) found.push_back(entry->path());
    std::sort(found.begin(), found.end());
    return found;
}

/// Where pip puts the programs of a wheel: LIB/python3.*/site-packages/nvidia/*/bin.
std::vector<fs::path> wheel_folders() {
    std::vector<fs::path> prefixes;
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const std::string prefix = variable(name); !prefix.empty())
            prefixes.emplace_back(prefix);
    for (const fs::path& folder : folders_on_path())
        if (is_program(folder / "python3")) prefixes.push_back(folder.parent_path());
    if (const std::string home = variable("HOME"); !home.empty())
        prefixes.push_back(fs::path{home} / ".local");
    prefixes.emplace_back("/usr/local");
    std::vector<fs::path> folders;
    for (const fs::path& prefix : prefixes)
        for (const fs::path& version : folders_in(prefix / "lib")) {
            if (version.filename().string().rfind("python3", 0) != 0) continue;
            for (const char* packages : {"site-packages", "dist-packages"})
                for (const fs::path& wheel : folders_in(version / packages / "nvidia"))
                    folders.push_back(wheel / "bin");
        }
    return folders;
}

std::optional<Tool> find_in(const std::string& name, const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders)
        if (is_program(folder / name)) return Tool{name, (folder / name).string()};
    return std::nullopt;
}

/// Whole milliseconds until the deadline, rounded up; 0: it has passed.
int milliseconds_until(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

/// The output of a started program, up to the size limit or the deadline.
std::string read_all(int descriptor, Clock::time_point deadline) {
    std::string text;
    std::array<char, 65536> part{};
    pollfd waited{descriptor, POLLIN, 0};
    while (text.size() <= most_bytes) {
        const int ready = poll(&waited, 1, milliseconds_until(deadline));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) break;
        const ssize_t got = read(descriptor, part.data(), part.size());
        if (got <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
}

/// The exit status of a started program; empty: it did not end by the deadline, and was killed.
std::optional<int> end_of(pid_t child, Clock::time_point deadline) {
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (milliseconds_until(deadline) > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
            continue;
        }
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return std::nullopt;
    }
    return status;
}

/// Starts the program with its output into `output`; 0: it does not start.
pid_t start(const Tool& tool, const std::vector<std::string>& arguments, const WorkFolder& folder,
            const std::string& messages, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    std::vector<std::string> words{tool.path};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, tool.path.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? child : 0;
}

/// ": " and the first line that the program wrote to standard error, if any.
std::string first_message(const std::string& file) {
    constexpr std::size_t most_read = std::size_t{1} << 20U;
    const auto text = assembly::read_source(file, most_read);
    if (!text) return {};
    const std::string& all = text.value().text;
    const std::size_t begin = all.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return {};
    return ": " + all.substr(begin, std::min(all.find_first_of("\r\n", begin), all.size()) - begin);
}

} // namespace

std::string variable_of_tool(const std::string& name) {
    std::string variable_name = "WARPBOUND_";
    for (const char c : name)
        variable_name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return variable_name;
}

std::optional<Tool> find_tool_on_path(const std::string& name) {
    if (const char* stated = std::getenv(variable_of_tool(name).c_str()); stated != nullptr) {
        if (*stated == '\0') return std::nullopt;
        return Tool{name, stated};
    }
    return find_in(name, folders_on_path());
}

std::optional<Tool> find_tool(const std::string& name) {
    if (std::getenv(variable_of_tool(name).c_str()) != nullptr) return find_tool_on_path(name);
    if (auto tool = find_tool_on_path(name)) return tool;
    std::vector<fs::path> folders;
    if (const std::string home = variable("CUDA_HOME"); !home.empty())
        folders.push_back(fs::path{home} / "bin");
    folders.emplace_back("/usr/local/cuda/bin");
    if (auto tool = find_in(name, folders)) return tool;
    return find_in(name, wheel_folders());
}

WorkFolder::WorkFolder() {
    std::error_code ignored;
    std::string pattern = (fs::temp_directory_path(ignored) / "warpbound-code-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

WorkFolder::~WorkFolder() {
    std::error_code ignored; // Nothing can be done here.
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<std::string> WorkFolder::write(const std::string& name, const std::string& bytes) const {
    const Failure failure{"the machine code cannot be written to a temporary file", name};
    if (path_.empty()) return failure;
    const std::string path = (path_ / name).string();
    std::FILE* file = std::fopen(path.c_str(), "wbx");
    if (file == nullptr) return failure;
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    if (std::fclose(file) != 0 || !written) return failure;
    return path;
}

Result<std::string> output_of(const Tool& tool, const std::vector<std::string>& arguments,
                              const WorkFolder& folder, std::chrono::milliseconds time_out) {
    const std::string messages = (folder.path() / "messages").string();
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return Failure{"no pipe could be made", tool.name};
    const pid_t child = start(tool, arguments, folder, messages, ends[1]);
    close(ends[1]);
    const auto deadline = Clock::now() + time_out;
    std::string text = child != 0 ? read_all(ends[0], deadline) : "";
    close(ends[0]); // This ends a program that still writes.
    if (child == 0) return Failure{"does not start", tool.path};
    const auto ended = end_of(child, deadline);
    if (!ended)
        return Failure{fmt::format("did not end within {} ms", time_out.count()), tool.path};
    if (text.size() > most_bytes) return Failure{"wrote more than 64 MiB", tool.path};
    if (!WIFEXITED(*ended) || WEXITSTATUS(*ended) != 0)
        return Failure{fmt::format("failed with status {}{}",
                                   WIFEXITED(*ended) ? WEXITSTATUS(*ended) : WTERMSIG(*ended),
                                   first_message(messages)),
                       tool.path};
    return text;
}

} // namespace warpbound::harness::toolchain
