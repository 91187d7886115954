/// \file
/// The program: reads the command line, runs one subcommand, maps its outcome to an exit code.

#include "assembly/support/stop_token.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/arguments.hpp"
#include "cli/program/command.hpp"
#include "cli/program/help_format.hpp"
#include "cli/recordings/contract.hpp"
#include "cli/recordings/hypotheses.hpp"
#include "cli/recordings/pwcet.hpp"
#include "cli/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr const char* description =
    "warpbound: worst-case and best-case execution time (WCET, BCET) of GPU kernels\n"
    "Bounds a kernel's time from its assembly, runs it on a simulated device, compares both.";

constexpr const char* footer =
    "Exit codes: 0 holds, 1 violated or refuted, 2 usage, 3 input refused, 4 undecided, 5 "
    "tampered.\n"
    "`warpbound COMMAND --help` explains a command and shows an example.";

} // namespace

int main(int argc, char** argv) {
    using warpbound::cli::Exit;
    std::signal(SIGPIPE, SIG_DFL);
    CLI::App app{description, "warpbound"};
    app.footer(footer);
    app.set_version_flag("-V,--version", std::string{"warpbound "} + warpbound::cli::version);
    app.require_subcommand(1);
    warpbound::cli::Invocation invocation;
    try {
        warpbound::cli::add_architectures(app, invocation);
        warpbound::cli::add_devices(app, invocation);
        warpbound::cli::add_inspect(app, invocation);
        warpbound::cli::add_measure(app, invocation);
        warpbound::cli::add_campaign(app, invocation);
        warpbound::cli::add_calibrate(app, invocation);
        warpbound::cli::add_predict(app, invocation);
        warpbound::cli::add_simulate(app, invocation);
        warpbound::cli::add_trace(app, invocation);
        warpbound::cli::add_hypotheses(app, invocation);
        warpbound::cli::add_contract(app, invocation);
#ifdef WARPBOUND_HAS_ANALYZER
        warpbound::cli::add_bound(app, invocation);
        warpbound::cli::add_pipeline(app, invocation);
        warpbound::cli::add_pwcet(app, invocation);
        warpbound::cli::add_application(app, invocation);
        warpbound::cli::add_flow_facts(app, invocation);
        warpbound::cli::add_analyze(app, invocation);
        warpbound::cli::add_schedulers(app, invocation);
        warpbound::cli::add_certify(app, invocation);
        warpbound::cli::add_verify(app, invocation);
#endif
        warpbound::cli::add_manual(app, invocation);
        warpbound::cli::add_quiet(app);
        warpbound::cli::set_help_format(app);
        std::vector<std::string> arguments =
            warpbound::cli::usual_spelling(app, {argv + 1, argv + argc});
        if (const auto wrong = warpbound::cli::first_unknown(app, arguments); !wrong.empty()) {
            warpbound::cli::say("warpbound: {} (try --help)\n", wrong);
            return static_cast<int>(Exit::Usage);
        }
        std::reverse(arguments.begin(), arguments.end()); // As CLI11 wants them.
        app.parse(std::move(arguments));
        const Exit ended = invocation.run();
        warpbound::cli::print_next_step();
        return static_cast<int>(ended);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::RequiredError& error) {
        const std::string what = error.what();
        const bool is_machine = what.find("--architecture") != std::string::npos;
        warpbound::cli::say("warpbound: {} (try {})\n", what,
                            is_machine ? "--gpu TARGET, such as --gpu sm_75, for the machine that "
                                         "runs it; `warpbound architectures` lists them"
                                       : "--help");
        return static_cast<int>(Exit::Usage);
    } catch (const CLI::ParseError& error) {
        warpbound::cli::say("warpbound: {} (try --help)\n", error.what());
        return static_cast<int>(Exit::Usage);
    } catch (const warpbound::Stopped& stopped) {
        warpbound::cli::say("warpbound: {}\n", stopped.what());
        return static_cast<int>(Exit::Undecided);
    } catch (const std::bad_alloc&) {
        warpbound::cli::say("warpbound: out of memory\n");
    } catch (const std::exception& error) {
        warpbound::cli::say("warpbound: internal error: {}\n", error.what());
    }
    return static_cast<int>(Exit::Refused);
}
