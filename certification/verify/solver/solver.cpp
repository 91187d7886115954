#include "certification/verify/solver/solver.hpp"

#include "assembly/support/stop_monitor.hpp"
#include "certification/verify/solver/solver_process.hpp"

#include <fmt/format.h>
#include <z3.h>

#include <cstdlib>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace warpbound::certification::verify {

namespace {

struct CloseContext {
    void operator()(Z3_context context) const { Z3_del_context(context); }
};

Answer read_answer(const std::string& text) {
    const std::string line = text.substr(0, text.find('\n'));
    if (line == "unsat") return Answer::Unsat;
    return line == "sat" ? Answer::Sat : Answer::Unknown;
}

} // namespace

Answer ask_z3(const std::string& script, std::chrono::milliseconds limit) {
    Z3_config options = Z3_mk_config();
    using Context = std::remove_pointer_t<Z3_context>;
    const std::unique_ptr<Context, CloseContext> context{Z3_mk_context(options)};
    Z3_del_config(options);
    // Errors are part of the answer's text; without a handler Z3 would end the program.
    Z3_set_error_handler(context.get(), [](Z3_context, Z3_error_code) {});
    // Z3's own time limit may wait for ever for a lock that its query holds.
    const StopMonitor monitor{StopToken{deadline_after(limit)},
                              [&context] { Z3_interrupt(context.get()); }};
    const char* text = Z3_eval_smtlib2_string(context.get(), script.c_str());
    return text == nullptr ? Answer::Unknown : read_answer(text);
}

std::string z3_version() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned build = 0;
    unsigned revision = 0;
    Z3_get_version(&major, &minor, &build, &revision);
    return fmt::format("Z3 {}.{}.{}.{}", major, minor, build, revision);
}

std::optional<std::string> find_cvc5() {
    const char* folders = std::getenv("PATH");
    std::string rest = folders != nullptr ? folders : "";
    while (!rest.empty()) {
        const std::string folder = rest.substr(0, rest.find(':'));
        rest = folder.size() < rest.size() ? rest.substr(folder.size() + 1) : "";
        const std::string program = folder + "/cvc5";
        struct stat about {};
        if (!folder.empty() && access(program.c_str(), X_OK) == 0 &&
            stat(program.c_str(), &about) == 0 && S_ISREG(about.st_mode))
            return program;
    }
    return std::nullopt;
}

Answer ask_cvc5(const std::string& program, const std::string& script,
                std::chrono::milliseconds limit) {
    SolverLimits limits;
    limits.time = limit;
    const auto text = output_of(
        program, {"--lang", "smt2", "--tlimit", std::to_string(limit.count())}, script, limits);
    return text ? read_answer(*text) : Answer::Unknown;
}

} // namespace warpbound::certification::verify
