/// \file
/// The second solver is started without a shell, and a bad one costs a bounded time and memory.

#include "certification/verify/solver/solver.hpp"
#include "certification/verify/solver/solver_process.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace warpbound::certification::verify {
namespace {

using namespace std::chrono_literals;

/// A program named cvc5 in a folder of its own.
class FakeSolver {
public:
    explicit FakeSolver(const std::string& script, const std::string& folder = "bin")
        : folder_{folders_.path() / folder} {
        std::filesystem::create_directories(folder_);
        std::ofstream{path()} << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    }
    [[nodiscard]] std::string path() const { return (folder_ / "cvc5").string(); }
    [[nodiscard]] std::string folder() const { return folder_.string(); }

private:
    tests::TemporaryFolder folders_;
    std::filesystem::path folder_;
};

/// An environment variable that has another value for a while.
class Variable {
public:
    Variable(const char* name, const char* value) : name_{name} {
        if (const char* before = std::getenv(name)) before_ = before;
        if (value != nullptr)
            setenv(name, value, 1);
        else
            unsetenv(name);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() {
        if (before_)
            setenv(name_, before_->c_str(), 1);
        else
            unsetenv(name_);
    }

private:
    const char* name_;
    std::optional<std::string> before_;
};

const std::string script(300'000, ';'); // more than a pipe or socket holds

Answer answer_of(const std::string& fake, std::chrono::milliseconds limit = 20s) {
    return ask_cvc5(FakeSolver{fake}.path(), script, limit);
}

TEST(SecondSolver, GivesTheAnswerOfItsFirstLine) {
    EXPECT_EQ(answer_of("cat > /dev/null; echo unsat"), Answer::Unsat);
    EXPECT_EQ(answer_of("cat > /dev/null; echo sat"), Answer::Sat);
    EXPECT_EQ(answer_of("cat > /dev/null; echo unknown"), Answer::Unknown);
}

TEST(SecondSolver, ReadsTheWholeScript) {
    EXPECT_EQ(answer_of("test $(wc -c) -eq 300000 && echo unsat"), Answer::Unsat);
}

TEST(SecondSolver, ThatDoesNotReadItsScriptMayAnswer) {
    EXPECT_EQ(answer_of("exec <&-; echo unsat"), Answer::Unsat);
}

TEST(SecondSolver, ThatFailsOrSaysSomethingElseGivesNoAnswer) {
    EXPECT_EQ(answer_of("cat > /dev/null; echo unsat; exit 1"), Answer::Unknown);
    EXPECT_EQ(answer_of("cat > /dev/null; echo unsat; kill -9 $$"), Answer::Unknown);
    EXPECT_EQ(answer_of("echo '\\000\\377 unsat'"), Answer::Unknown);
    EXPECT_EQ(answer_of("exit 0"), Answer::Unknown);
    EXPECT_EQ(ask_cvc5("/nonexistent/cvc5", script, 20s), Answer::Unknown);
    EXPECT_EQ(ask_cvc5("/", script, 20s), Answer::Unknown);
}

TEST(SecondSolver, ThatIsStuckIsKilledAtItsLimit) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(answer_of("echo unsat; exec sleep 1000", 300ms), Answer::Unknown);
    // Its output is closed, and it stays.
    EXPECT_EQ(answer_of("echo unsat; exec sleep 1000 > /dev/null", 300ms), Answer::Unknown);
    EXPECT_EQ(answer_of("sleep 1000; echo unsat", 300ms), Answer::Unknown);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(SecondSolver, ThatWritesWithoutEndIsKilled) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(answer_of("exec cat /dev/zero", 60s), Answer::Unknown);
    EXPECT_EQ(answer_of("echo unsat; exec yes", 60s), Answer::Unknown);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
}

TEST(SecondSolver, GetsNoMoreMemoryThanItsLimit) {
    SolverLimits limits;
    limits.memory_bytes = std::uint64_t{64} << 20U;
    // The whole output of `dd` is one block in memory.
    const FakeSolver small{"sleep 0.1; dd if=/dev/zero of=/dev/null bs=1M count=1 && echo unsat"};
    EXPECT_EQ(output_of(small.path(), {}, "", limits), "unsat\n");
    const FakeSolver large{"sleep 0.1; dd if=/dev/zero of=/dev/null bs=256M count=1 && echo unsat"};
    EXPECT_EQ(output_of(large.path(), {}, "", limits), std::nullopt);
}

TEST(SecondSolver, IsFoundAndStartedFromAFolderWithAnyName) {
    for (const char* name :
         {"it's here", "a \"quoted\" one", "two\nlines", "$(touch x); `touch x`"}) {
        const FakeSolver fake{"cat > /dev/null; echo unsat", name};
        const Variable path{"PATH", ("/nonexistent::" + fake.folder() + ":/bin").c_str()};
        const Variable temporary{"TMPDIR", "/nonexistent/'; touch x #"};
        ASSERT_EQ(find_cvc5(), fake.path()) << name;
        const Variable usual{"PATH", "/usr/bin:/bin"};
        EXPECT_EQ(ask_cvc5(fake.path(), script, 20s), Answer::Unsat) << name;
        EXPECT_FALSE(std::filesystem::exists("x"));
    }
}

TEST(SecondSolver, NeedsNoFolderForTemporaryFiles) {
    const FakeSolver fake{"cat > /dev/null; echo unsat"};
    const Variable temporary{"TMPDIR", "/nonexistent"};
    EXPECT_EQ(ask_cvc5(fake.path(), script, 20s), Answer::Unsat);
}

TEST(SecondSolver, IsNotAFolderOfThatName) {
    const tests::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "cvc5");
    const Variable path{"PATH", folder.path().c_str()};
    EXPECT_EQ(find_cvc5(), std::nullopt);
}

TEST(SecondSolver, SolvesAScript) {
    const auto cvc5 = find_cvc5();
    if (!cvc5) GTEST_SKIP() << "cvc5 is not on PATH";
    const std::string contradiction =
        "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (< x x))\n(check-sat)\n";
    EXPECT_EQ(ask_cvc5(*cvc5, contradiction, 60s), Answer::Unsat);
    EXPECT_EQ(ask_cvc5(*cvc5, "(set-logic QF_LIA)\n(check-sat)\n", 60s), Answer::Sat);
}

/// A subset sum of sixty weights, for which Z3 needs minutes.
std::string hopeless_script() {
    std::string script = "(set-logic QF_LIA)\n";
    std::string sum;
    for (int i = 0; i < 60; ++i) {
        script += "(declare-const x" + std::to_string(i) + " Int)(assert (<= 0 x" +
                  std::to_string(i) + " 1))\n";
        sum += " (* " + std::to_string(2 * (100'003 + i * i * 7919 % 99'991)) + " x" +
               std::to_string(i) + ")";
    }
    return script + "(assert (= (+" + sum + ") 6000034))\n(check-sat)\n";
}

TEST(FirstSolver, EndsAtItsTimeLimit) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(ask_z3(hopeless_script(), 2s), Answer::Unknown);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

} // namespace
} // namespace warpbound::certification::verify
