#include "certification/verify/solver/solver_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace warpbound::certification::verify {

namespace {

using Clock = std::chrono::steady_clock;

/// A descriptor, closed with the object.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_{number} {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { reset(); }

    void reset(int number = -1) {
        if (number_ >= 0) close(number_);
        number_ = number;
    }
    [[nodiscard]] int number() const { return number_; }

private:
    int number_ = -1;
};

/// Two ends that no other process inherits. Sockets, since writing to one that nobody reads can be
/// kept from raising a signal.
struct Channel {
    Channel() {
        std::array<int, 2> ends{-1, -1};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
        ours.reset(ends[0]);
        theirs.reset(ends[1]);
    }
    Descriptor ours;
    Descriptor theirs;
};

/// Killed and waited for with the object, unless it has ended before.
class Process {
public:
    Process(const std::string& program, const std::vector<std::string>& arguments, int in,
            int out) {
        std::vector<char*> texts{const_cast<char*>(program.c_str())};
        for (const auto& argument : arguments)
            texts.push_back(const_cast<char*>(argument.c_str()));
        texts.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        if (posix_spawn_file_actions_init(&actions) != 0) return;
        const bool prepared = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) == 0 &&
                              posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) == 0 &&
                              posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                                               O_WRONLY, 0) == 0;
        if (!prepared ||
            posix_spawn(&id_, program.c_str(), &actions, nullptr, texts.data(), environ) != 0)
            id_ = -1;
        posix_spawn_file_actions_destroy(&actions);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        if (id_ <= 0) return;
        kill(id_, SIGKILL);
        wait_for(0);
    }

    [[nodiscard]] bool started() const { return id_ > 0; }

    void limit(const SolverLimits& limits) const {
        const auto set = [&](auto resource, std::uint64_t value) {
            const struct rlimit both { value, value };
            // Where it fails the other limits remain.
            (void)prlimit(id_, resource, &both, nullptr);
        };
        set(RLIMIT_AS, limits.memory_bytes);
        set(RLIMIT_CORE, 0);
        // Should this program be killed, the solver does not stay for long.
        set(RLIMIT_CPU, static_cast<std::uint64_t>(limits.time.count() / 1000 + 2));
    }

    /// Waits until then at most. Whether it exited with code 0.
    bool ended_well(Clock::time_point deadline) {
        for (;;) {
            const auto status = wait_for(WNOHANG);
            if (status) return WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
            if (id_ <= 0 || Clock::now() >= deadline) return false;
            (void)poll(nullptr, 0, 2);
        }
    }

private:
    std::optional<int> wait_for(int options) {
        int status = 0;
        pid_t got = -1;
        do {
            got = waitpid(id_, &status, options);
        } while (got < 0 && errno == EINTR);
        if (got == 0) return std::nullopt;
        const pid_t waited = id_;
        id_ = -1;
        return got == waited ? std::optional{status} : std::nullopt;
    }

    pid_t id_ = -1;
};

/// Milliseconds until then, for `poll`.
int left_until(Clock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

/// Writes the input and reads the output as each is possible, until the output ends. False at a
/// limit.
bool exchange(Channel& in, Channel& out, const std::string& input, const SolverLimits& limits,
              Clock::time_point deadline, std::string& text) {
    std::size_t sent = 0;
    std::array<char, 4096> buffer{};
    for (;;) {
        if (sent == input.size()) in.ours.reset();
        std::array<pollfd, 2> ends{pollfd{out.ours.number(), POLLIN, 0},
                                   pollfd{in.ours.number(), POLLOUT, 0}};
        const int ready = poll(ends.data(), ends.size(), left_until(deadline));
        if (Clock::now() >= deadline) return false;
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        if (ends[1].revents != 0) {
            const auto wrote = send(in.ours.number(), input.data() + sent, input.size() - sent,
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
            if (wrote >= 0)
                sent += static_cast<std::size_t>(wrote);
            else if (errno != EAGAIN && errno != EINTR)
                sent = input.size(); // it reads no more; its answer may be complete
        }
        if (ends[0].revents == 0) continue;
        const auto got = recv(out.ours.number(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got == 0) return true;
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (got < 0) return errno == ECONNRESET; // it ended without reading all of its input
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > limits.output_bytes) return false;
    }
}

} // namespace

std::optional<std::string> output_of(const std::string& program,
                                     const std::vector<std::string>& arguments,
                                     const std::string& input, const SolverLimits& limits) {
    const auto deadline = Clock::now() + limits.time;
    Channel in;
    Channel out;
    if (in.ours.number() < 0 || out.ours.number() < 0) return std::nullopt;
    Process process{program, arguments, in.theirs.number(), out.theirs.number()};
    if (!process.started()) return std::nullopt;
    process.limit(limits);
    in.theirs.reset();
    out.theirs.reset();
    std::string text;
    if (!exchange(in, out, input, limits, deadline, text)) return std::nullopt;
    if (!process.ended_well(deadline)) return std::nullopt;
    return text;
}

} // namespace warpbound::certification::verify
