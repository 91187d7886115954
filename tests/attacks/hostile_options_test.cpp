/// \file
/// Numbers that are none, or too large, in every numeric option.

#include "tests/attacks/hostile_case.hpp"

namespace warpbound::tests {
namespace {

struct NumericOption {
    std::string name;
    std::vector<std::string> command; ///< Without the option.
    std::string option;
    bool zero_is_refused = false;
};

std::vector<std::string> on_saxpy(const char* command) {
    return {command,          saxpy(".sass"), "--flow-facts", saxpy(".flow-facts.xml"),
            "--architecture", "turing-t4",    "--launch",     "1x32"};
}

std::vector<NumericOption> numeric_options() {
    const std::vector<std::string> certify = [] {
        auto command = on_saxpy("certify");
        command.insert(command.end(), {"-o", "/nonexistent/never-written"});
        return command;
    }();
    const std::vector<std::string> measure{"measure", "--device", "simulated:turing-t4",
                                           "--benchmark", "empty-region"};
    const std::vector<std::string> predict{"predict",   saxpy(".sass"), "--architecture",
                                           "turing-t4", "--launch",     "1x32"};
    return {{"AnalyzeSeed", on_saxpy("analyze"), "--seed"},
            {"AnalyzeRuns", on_saxpy("analyze"), "--runs"},
            {"AnalyzeTimeLimit", on_saxpy("analyze"), "--time-limit"},
            {"AnalyzeMultiprocessors", on_saxpy("analyze"), "--multiprocessors", true},
            {"CertifySeed", certify, "--seed"},
            {"CertifyRuns", certify, "--runs"},
            {"CertifyCheck", certify, "--check", true},
            {"CertifyMultiprocessors", certify, "--multiprocessors", true},
            {"MeasureSeed", measure, "--seed"},
            {"MeasureRepetitions", measure, "--repetitions", true},
            {"MeasureWarmUp", measure, "--warm-up"},
            {"MeasureTimeCap", measure, "--time-cap"},
            {"PredictSeed", predict, "--seed"},
            {"PredictHiddenLatency", predict, "--hidden-latency"},
            {"SchedulersSeed", on_saxpy("schedulers"), "--seed"},
            {"SchedulersRuns", on_saxpy("schedulers"), "--runs", true},
            {"SimulateSeed", on_saxpy("simulate"), "--seed"},
            {"SimulateRuns", on_saxpy("simulate"), "--runs", true},
            {"SimulateTraceRun", on_saxpy("simulate"), "--trace-run"},
            {"SimulateMultiprocessors", on_saxpy("simulate"), "--multiprocessors", true},
            {"VerifyTimeLimit", {"verify", "/nonexistent"}, "--time-limit", true}};
}

class NumericOptions : public testing::TestWithParam<NumericOption> {};

TEST_P(NumericOptions, RefusesWhatIsNoNumberOfItsRange) {
    const auto& [name, command, option, zero_is_refused] = GetParam();
    std::vector<std::string> junk{"nan",
                                  "inf",
                                  "-inf",
                                  "-1",
                                  "-0x1",
                                  "0x",
                                  "0xzz",
                                  "12abc",
                                  "1 2",
                                  "",
                                  " ",
                                  "1e999",
                                  "99999999999999999999999",
                                  "--",
                                  "\x1b[2J"};
    if (option != "--time-limit" && option != "--time-cap" && option != "--check")
        junk.insert(junk.end(), {"1.5", "18446744073709551616", "1e3", "nan(1)"});
    if (zero_is_refused) junk.emplace_back("0");
    for (const std::string& text : junk) {
        auto arguments = command;
        arguments.push_back(option + "=" + text);
        const auto outcome = run_warpbound(arguments);
        EXPECT_EQ(misbehaviour_of(outcome), "") << text << "\n" << outcome.err;
        // 2: usage; an option that is read later refuses with 3, as any input.
        EXPECT_TRUE(outcome.exit_code == 2 || outcome.exit_code == 3)
            << option << "=" << text << " exits " << outcome.exit_code << "\n"
            << outcome.out << outcome.err;
        EXPECT_THAT(outcome.err, testing::HasSubstr(option.substr(2))) << text;
        EXPECT_EQ(bytes_obeyed(outcome.err), "") << text;
    }
}

INSTANTIATE_TEST_SUITE_P(All, NumericOptions, testing::ValuesIn(numeric_options()),
                         [](const auto& info) { return info.param.name; });

class Launches : public testing::TestWithParam<const char*> {};

TEST_P(Launches, AreRefusedNamingTheForm) {
    const auto outcome =
        run_warpbound({"simulate", saxpy(".sass"), "--flow-facts", saxpy(".flow-facts.xml"),
                       "--architecture", "turing-t4", std::string{"--launch="} + GetParam()});
    EXPECT_EQ(misbehaviour_of(outcome), "");
    EXPECT_TRUE(outcome.exit_code == 2 || outcome.exit_code == 3) << outcome.out;
    EXPECT_THAT(outcome.err, testing::HasSubstr("expected"));
}

INSTANTIATE_TEST_SUITE_P(All, Launches,
                         testing::Values("x", "1x", "x32", "-1x32", "1x-32", "0x32", "1x0",
                                         "1x1025", "nanx32", "1x32junk", "1x32,registers=-1",
                                         "1x32,shared-memory=18446744073709551616",
                                         "99999999999999999999x32", "1x32,registers=2,registers=3",
                                         "1.5x32"));

} // namespace
} // namespace warpbound::tests
