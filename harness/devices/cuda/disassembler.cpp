#include "harness/devices/cuda/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
#include <vector>

// The environment of this process; POSIX has no header that declares it.
extern char** environ; // NOLINT(readability-redundant-declaration)

namespace warpbound::harness::cuda {

namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20U;

std::optional<std::string> find_program(const char* name) {
    const char* folders = std::getenv("PATH");
    std::string rest = folders != nullptr ? folders : "";
    while (!rest.empty()) {
        const std::string folder = rest.substr(0, rest.find(':'));
        rest = folder.size() < rest.size() ? rest.substr(folder.size() + 1) : "";
        const std::filesystem::path program = std::filesystem::path{folder} / name;
        std::error_code ignored;
        if (!folder.empty() && std::filesystem::is_regular_file(program, ignored) &&
            access(program.c_str(), X_OK) == 0)
            return program.string();
    }
    return std::nullopt;
}

/// A file in a private folder, readable by this user only.
class ImageFile {
public:
    explicit ImageFile(const std::string& image) {
        std::error_code ignored;
        std::string pattern =
            (std::filesystem::temp_directory_path(ignored) / "warpbound-code-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) return;
        folder_ = pattern;
        path_ = (folder_ / "microbenchmark.cubin").string();
        std::FILE* file = std::fopen(path_.c_str(), "wb");
        if (file == nullptr) return;
        const bool written = std::fwrite(image.data(), 1, image.size(), file) == image.size();
        complete_ = std::fclose(file) == 0 && written;
    }
    ImageFile(const ImageFile&) = delete;
    ImageFile& operator=(const ImageFile&) = delete;
    ~ImageFile() {
        std::error_code ignored; // Nothing can be done here.
        if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::filesystem::path folder_;
    std::string path_;
    bool complete_ = false;
};

using Clock = std::chrono::steady_clock;

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

} // namespace

std::optional<Disassembler> find_disassembler() {
    for (const char* name : {"nvdisasm", "cuobjdump"})
        if (auto path = find_program(name)) return Disassembler{name, std::move(*path)};
    return std::nullopt;
}

Result<std::string> disassemble(const Disassembler& tool, const std::string& image,
                                std::chrono::milliseconds time_out) {
    const ImageFile file{image};
    if (!file.complete())
        return Failure{"the machine code cannot be written to a temporary file", tool.name};
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return Failure{"no pipe could be made", tool.name};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    std::string option = tool.name == "nvdisasm" ? "-c" : "-sass";
    std::string program = tool.path;
    std::string path = file.path();
    std::array<char*, 4> arguments{program.data(), option.data(), path.data(), nullptr};
    pid_t child = 0;
    const int started =
        posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    const auto deadline = Clock::now() + time_out;
    std::string text = started == 0 ? read_all(ends[0], deadline) : "";
    close(ends[0]); // This ends a tool that still writes.
    if (started != 0) return Failure{"does not start", tool.path};
    const auto ended = end_of(child, deadline);
    if (!ended)
        return Failure{fmt::format("did not end within {} ms", time_out.count()), tool.path};
    const int status = *ended;
    if (text.size() > most_bytes) return Failure{"wrote more than 64 MiB", tool.path};
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return Failure{fmt::format("failed with status {}",
                                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)),
                       tool.path};
    return text;
}

} // namespace warpbound::harness::cuda
