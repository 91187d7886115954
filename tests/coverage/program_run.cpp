#include "tests/coverage/program_run.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpbound::coverage {

namespace {

/// A file without a name that a child writes and its parent reads.
class Capture {
public:
    Capture() : file_{std::tmpfile()} {
        if (file_ == nullptr) throw std::runtime_error{"no temporary file"};
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture() { std::fclose(file_); }

    [[nodiscard]] int descriptor() const { return fileno(file_); }
    [[nodiscard]] std::string text() const {
        std::rewind(file_);
        std::string all;
        std::array<char, 65536> part{};
        while (const std::size_t count = std::fread(part.data(), 1, part.size(), file_))
            all.append(part.data(), count);
        return all;
    }

private:
    std::FILE* file_;
};

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

} // namespace

ProgramRun run_program(const std::string& program, const std::vector<std::string>& arguments,
                       unsigned limit) {
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    const Capture output;
    const Capture errors;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error{"fork failed"};
    if (child == 0) {
        const rlimit seconds{limit, limit};
        setrlimit(RLIMIT_CPU, &seconds);
        dup2(output.descriptor(), STDOUT_FILENO);
        dup2(errors.descriptor(), STDERR_FILENO);
        execv(program.c_str(), words.data());
        _exit(127);
    }
    int status = 0;
    rusage used{};
    if (wait4(child, &status, 0, &used) != child) throw std::runtime_error{"wait4 failed"};
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            seconds_of(used.ru_utime) + seconds_of(used.ru_stime), output.text(), errors.text()};
}

} // namespace warpbound::coverage
