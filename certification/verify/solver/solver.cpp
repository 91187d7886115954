#include "certification/verify/solver/solver.hpp"

#include <fmt/format.h>
#include <z3.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace warpbound::certification::verify {

namespace {

struct CloseContext {
    void operator()(Z3_context context) const { Z3_del_context(context); }
};
struct ClosePipe {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
};

Answer read_answer(const std::string& text) {
    const std::string line = text.substr(0, text.find('\n'));
    if (line == "unsat") return Answer::Unsat;
    return line == "sat" ? Answer::Sat : Answer::Unknown;
}

/// A file of its own, gone with the object.
class ScriptFile {
public:
    explicit ScriptFile(const std::string& text) {
        path_ = (std::filesystem::temp_directory_path() / "warpbound-XXXXXX").string();
        const int file = mkstemp(path_.data());
        if (file < 0) return;
        const auto written = write(file, text.data(), text.size());
        close(file);
        complete_ = written == static_cast<ssize_t>(text.size());
    }
    ScriptFile(const ScriptFile&) = delete;
    ScriptFile& operator=(const ScriptFile&) = delete;
    ~ScriptFile() { std::remove(path_.c_str()); }

    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    bool complete_ = false;
};

} // namespace

Answer ask_z3(const std::string& script, std::chrono::milliseconds limit) {
    Z3_config options = Z3_mk_config();
    Z3_set_param_value(options, "timeout", std::to_string(limit.count()).c_str());
    using Context = std::remove_pointer_t<Z3_context>;
    const std::unique_ptr<Context, CloseContext> context{Z3_mk_context(options)};
    Z3_del_config(options);
    // Errors are part of the answer's text; without a handler Z3 would end the program.
    Z3_set_error_handler(context.get(), [](Z3_context, Z3_error_code) {});
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
        const std::filesystem::path program = std::filesystem::path{folder} / "cvc5";
        if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program.string();
    }
    return std::nullopt;
}

Answer ask_cvc5(const std::string& program, const std::string& script,
                std::chrono::milliseconds limit) {
    const ScriptFile file{script};
    if (!file.complete()) return Answer::Unknown;
    const std::string command = fmt::format("'{}' --lang smt2 --tlimit {} '{}' 2>/dev/null",
                                            program, limit.count(), file.path());
    const std::unique_ptr<std::FILE, ClosePipe> pipe{popen(command.c_str(), "r")};
    if (!pipe) return Answer::Unknown;
    std::string text;
    std::array<char, 256> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        text.append(buffer.data(), got);
    return read_answer(text);
}

} // namespace warpbound::certification::verify
