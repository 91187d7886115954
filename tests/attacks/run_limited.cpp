#include "tests/attacks/run_limited.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPBOUND_SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define WARPBOUND_SANITIZED
#endif

extern char** environ; // NOLINT: as POSIX declares it

namespace warpbound::tests {

namespace {

using Clock = std::chrono::steady_clock;

// Shadow memory of a sanitizer is mapped, and not used by the program.
#ifdef WARPBOUND_SANITIZED
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
constexpr double slower_when_sanitized = 8;
/// A run waits for the processor on a busy machine; its own time is limited apart.
constexpr int slower_when_busy = 6;
/// Threads that may use the processor for all of the limit.
constexpr int most_threads = 2;

[[noreturn]] void fail(const char* what) {
    throw std::runtime_error{fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

/// A file without a name in memory.
class MemoryFile {
public:
    MemoryFile() : descriptor_{memfd_create("warpbound-attacks", MFD_CLOEXEC)} {
        if (descriptor_ < 0) fail("memfd_create");
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    MemoryFile(MemoryFile&&) = delete;
    MemoryFile& operator=(MemoryFile&&) = delete;

    void write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor_, text.data(), text.size());
            if (written <= 0) fail("write");
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        lseek(descriptor_, 0, SEEK_SET);
    }
    [[nodiscard]] std::string text() const {
        std::string text;
        std::array<char, 65536> part{};
        lseek(descriptor_, 0, SEEK_SET);
        for (ssize_t size = 0; (size = read(descriptor_, part.data(), part.size())) > 0;)
            text.append(part.data(), static_cast<std::size_t>(size));
        return text;
    }
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// Pointers to the texts, ended by a null pointer, as `execve` takes them.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const Environment& changed) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string variable{*entry};
        bool kept = true;
        for (const auto& [name, value] : changed)
            kept = kept && variable.rfind(name + "=", 0) != 0;
        if (kept) all.push_back(variable);
    }
    for (const auto& [name, value] : changed)
        all.push_back(name + "=" + value);
    return all;
}

void limit(int resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

/// `Unit:` s, of all threads.
rlim_t processor_limit(const Limits& limits) {
    return static_cast<rlim_t>(std::ceil(limits.time.count() * most_threads));
}

/// Whether the process has got so far that it handles Ctrl-C; a busy machine may take long to start
/// it.
bool handles_interrupts(pid_t process) {
    std::ifstream status{"/proc/" + std::to_string(process) + "/status"};
    std::string field;
    while (status >> field)
        if (field == "SigCgt:") {
            std::uint64_t caught = 0;
            status >> std::hex >> caught;
            return (caught >> (SIGINT - 1U) & 1U) != 0;
        }
    return false;
}

/// Waits for the end of the process; kills its group at the limit of time.
void wait_for(pid_t child, const Limits& limits, Outcome& outcome) {
    const auto began = Clock::now();
    const auto time = limits.time * slower_when_busy * (is_sanitized ? slower_when_sanitized : 1);
    bool interrupts = limits.interrupt_after.has_value();
    int status = 0;
    rusage usage{};
    while (wait4(child, &status, WNOHANG, &usage) == 0) {
        if (!outcome.timed_out && Clock::now() - began > time) {
            outcome.timed_out = true;
            kill(-child, SIGKILL);
        }
        if (interrupts && Clock::now() - began > *limits.interrupt_after &&
            handles_interrupts(child)) {
            kill(child, SIGINT);
            interrupts = false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    kill(-child, SIGKILL); // what it left behind
    outcome.seconds = std::chrono::duration<double>{Clock::now() - began}.count();
    const auto seconds_of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    outcome.processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    outcome.resident_bytes = std::int64_t{usage.ru_maxrss} * 1024;
    outcome.over_memory = !is_sanitized && outcome.resident_bytes > limits.bytes;
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    // The system kills at the limit of processor time, which it counts a little differently.
    constexpr double slack = 0.1;
    if (outcome.signal == SIGKILL && !is_sanitized &&
        outcome.processor_seconds > static_cast<double>(processor_limit(limits)) - slack)
        outcome.timed_out = true;
}

} // namespace

Outcome run_warpbound(const std::vector<std::string>& arguments, const Environment& environment,
                      std::string_view input, const Limits& limits) {
    const MemoryFile in;
    const MemoryFile out;
    const MemoryFile err;
    in.write(input);
    std::vector<std::string> words{WARPBOUND_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environment_with(environment);
    const auto argv = pointers_to(words);
    const auto envp = pointers_to(variables);
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        setpgid(0, 0);
        constexpr rlim_t output_bytes = rlim_t{256} << 20U;
        limit(RLIMIT_FSIZE, output_bytes);
        limit(RLIMIT_CORE, 0);
        if (!is_sanitized) {
            limit(RLIMIT_AS, static_cast<rlim_t>(limits.bytes) * 4);
            limit(RLIMIT_CPU, processor_limit(limits));
        }
        dup2(in.descriptor(), STDIN_FILENO);
        dup2(out.descriptor(), STDOUT_FILENO);
        dup2(err.descriptor(), STDERR_FILENO);
        execve(argv[0], argv.data(), envp.data());
        _exit(127);
    }
    setpgid(child, child); // whichever of the two comes first
    Outcome outcome;
    wait_for(child, limits, outcome);
    outcome.out = out.text();
    outcome.err = err.text();
    if (outcome.exit_code == 127) throw std::runtime_error{"the program could not be started"};
    return outcome;
}

std::string misbehaviour_of(const Outcome& outcome) {
    if (outcome.timed_out) return fmt::format("still running after {:.1f} s", outcome.seconds);
    if (outcome.signal != 0) return fmt::format("ended by signal {}", outcome.signal);
    if (outcome.over_memory) return fmt::format("used {} bytes", outcome.resident_bytes);
    if (outcome.exit_code > 5) return fmt::format("exit code {}", outcome.exit_code);
    if (outcome.exit_code != 0 && outcome.out.empty() && outcome.err.empty())
        return fmt::format("exit code {} without a message", outcome.exit_code);
    return {};
}

std::string Folder::write(const std::string& name, std::string_view text) const {
    const std::filesystem::path file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::FILE* const stream = std::fopen(file.c_str(), "wb");
    if (stream == nullptr) fail(file.c_str());
    const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
    if (std::fclose(stream) != 0 || !written) fail(file.c_str());
    return file.string();
}

std::string Folder::path(const std::string& name) const {
    return name.empty() ? folder_.path().string() : (folder_.path() / name).string();
}

} // namespace warpbound::tests
