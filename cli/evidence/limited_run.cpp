#include "cli/evidence/limited_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace warpbound::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int exit_of_memory_limit = 97; ///< Of the child.
constexpr int exit_of_exception = 98;

constexpr bool has_sanitizer() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer)
    return true;
#else
    return false;
#endif
#else
    return false;
#endif
}

/// The child, for the handler of signals that end this process.
std::atomic<pid_t> child_group{0};

void end_with_child(int signal) {
    if (const pid_t group = child_group; group > 0) kill(-group, SIGKILL);
    std::signal(signal, SIG_DFL);
    (void)raise(signal);
}

volatile std::sig_atomic_t interrupt_seen = 0;

/// Ctrl-C ends the child, whose messages stay; a second one ends this process.
void end_child(int signal) {
    interrupt_seen = 1;
    if (const pid_t group = child_group; group > 0) kill(-group, SIGKILL);
    std::signal(signal, SIG_DFL);
}

void write_all(int file, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t wrote = write(file, bytes, size);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return;
        bytes += wrote;
        size -= static_cast<std::size_t>(wrote);
    }
}

constexpr char of_work = 'w';      ///< First byte of a message from the work.
constexpr char of_exception = 'e'; ///< Of what an exception says.

void send(int file, char origin, std::string_view message) {
    const std::uint64_t size = message.size() + 1;
    std::array<char, sizeof size> head{};
    std::memcpy(head.data(), &size, sizeof size);
    write_all(file, head.data(), head.size());
    write_all(file, &origin, 1);
    write_all(file, message.data(), message.size());
}

std::atomic<std::size_t> probed_bytes{0}; ///< Of an allocation that a child near its limit lacks.
std::atomic<std::uintptr_t> stack_end{0}; ///< Lowest address of the stack of the main thread.

/// A library that does not check an allocation, an exception that may not leave where it is, and a
/// stack that is full end the child by a signal. Those are the limit of memory; others are not.
void end_at_limit(int signal, siginfo_t* about, void* /*context*/) {
    const std::size_t size = probed_bytes;
    void* const probe =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) _exit(exit_of_memory_limit);
    (void)munmap(probe, size);
    constexpr std::uintptr_t guard = std::uintptr_t{1} << 20U;
    const auto address = reinterpret_cast<std::uintptr_t>(about->si_addr); // NOLINT: its distance
    if (signal == SIGSEGV && stack_end != 0 && address + guard > stack_end &&
        address < stack_end + guard)
        _exit(exit_of_memory_limit);
    std::signal(signal, SIG_DFL);
    (void)raise(signal);
}

/// Requires: the main thread.
void watch_signals(const RunLimits& limits) {
    static std::array<char, std::size_t{1} << 16U> own_stack; // The usual one may be full.
    stack_t stack{};
    stack.ss_sp = own_stack.data();
    stack.ss_size = own_stack.size();
    (void)sigaltstack(&stack, nullptr);
    probed_bytes = static_cast<std::size_t>(limits.memory_bytes / 2);
    struct rlimit most {};
    if (getrlimit(RLIMIT_STACK, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
        stack_end = reinterpret_cast<std::uintptr_t>(&most) - most.rlim_cur; // NOLINT
    struct sigaction action {};
    action.sa_sigaction = end_at_limit;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT})
        (void)sigaction(signal, &action, nullptr);
}

/// Neither memory nor a thread, whose stack takes memory, was to be had.
bool is_for_lack_of_memory(const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again ||
           error.code() == std::errc::not_enough_memory;
}

[[noreturn]] void work_in_child(int file, pid_t parent, const RunLimits& limits,
                                const std::function<void(const Send&)>& work) {
    (void)setpgid(0, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_FAILURE);
    // Sanitizers map more memory than any limit.
    if (!has_sanitizer()) {
        const struct rlimit both { limits.memory_bytes, limits.memory_bytes };
        (void)setrlimit(RLIMIT_DATA, &both);
        watch_signals(limits);
    }
    // Also for what is allocated in a thread or where no exception may leave.
    std::set_new_handler([] { _exit(exit_of_memory_limit); });
    try {
        work([&](std::string_view message) { send(file, of_work, message); });
        _exit(EXIT_SUCCESS);
    } catch (const std::bad_alloc&) {
        _exit(exit_of_memory_limit);
    } catch (const std::system_error& error) {
        if (is_for_lack_of_memory(error)) _exit(exit_of_memory_limit);
        send(file, of_exception, error.what());
        _exit(exit_of_exception);
    } catch (const std::exception& error) {
        send(file, of_exception, error.what());
        _exit(exit_of_exception);
    }
}

/// Messages that were cut off with the child are dropped.
class Messages {
public:
    void add(const char* bytes, std::size_t size) { text_.append(bytes, size); }
    std::optional<std::string> next() {
        std::uint64_t size = 0;
        if (text_.size() < sizeof size) return std::nullopt;
        std::memcpy(&size, text_.data(), sizeof size);
        if (text_.size() - sizeof size < size) return std::nullopt;
        std::string message = text_.substr(sizeof size, size);
        text_.erase(0, sizeof size + size);
        return message;
    }

private:
    std::string text_;
};

/// Reads until the child closes its end. False at the limit of time.
bool read_until(Clock::time_point deadline, int file,
                const std::function<void(std::string)>& receive) {
    Messages messages;
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return false;
        pollfd end{file, POLLIN, 0};
        const int ready = poll(&end, 1, static_cast<int>(std::min<std::int64_t>(left, 1'000'000)));
        if (ready <= 0) continue;
        const ssize_t got = read(file, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        messages.add(buffer.data(), static_cast<std::size_t>(got));
        while (auto message = messages.next())
            receive(*std::move(message));
    }
}

RunEnd end_of(int status, const std::string& thrown) {
    // Nobody here killed it: the system does where memory is short.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return {RunEnd::Cause::MemoryLimit, {}};
    if (WIFSIGNALED(status))
        return {RunEnd::Cause::Stopped, fmt::format("signal {}", WTERMSIG(status))};
    switch (WEXITSTATUS(status)) {
    case EXIT_SUCCESS:
        return {};
    case exit_of_memory_limit:
        return {RunEnd::Cause::MemoryLimit, {}};
    case exit_of_exception:
        return {RunEnd::Cause::Stopped, thrown};
    default:
        return {RunEnd::Cause::Stopped, fmt::format("exit code {}", WEXITSTATUS(status))};
    }
}

} // namespace

RunEnd run_limited(const RunLimits& limits, const std::function<void(const Send&)>& work,
                   const std::function<void(std::string)>& receive) {
    const auto deadline = Clock::now() + limits.time;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return {RunEnd::Cause::Stopped, fmt::format("pipe: {}", std::strerror(errno))};
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        work_in_child(ends[1], parent, limits, work);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return {RunEnd::Cause::Stopped, fmt::format("fork: {}", std::strerror(errno))};
    }
    (void)setpgid(child, child);
    child_group = child;
    interrupt_seen = 0;
    std::signal(SIGINT, end_child);
    for (const int signal : {SIGTERM, SIGHUP})
        std::signal(signal, end_with_child);
    std::string thrown;
    const bool in_time = read_until(deadline, ends[0], [&](std::string message) {
        const char origin = message.empty() ? of_work : message.front();
        message.erase(0, 1);
        if (origin == of_exception)
            thrown = std::move(message);
        else
            receive(std::move(message));
    });
    if (in_time) {
        // It may have closed its end and run on: its exit is what counts.
        siginfo_t about{};
        while (waitid(P_PID, static_cast<id_t>(child), &about, WEXITED | WNOWAIT) < 0 &&
               errno == EINTR) {
        }
    }
    kill(-child, SIGKILL); // with the solvers that it started
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child_group = 0;
    close(ends[0]);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_DFL);
    if (interrupt_seen != 0) return {RunEnd::Cause::Interrupted, {}};
    return in_time ? end_of(status, thrown) : RunEnd{RunEnd::Cause::TimeLimit, {}};
}

} // namespace warpbound::cli
