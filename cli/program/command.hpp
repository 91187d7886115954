#pragma once
/// \file
/// Functions that all subcommands share: exit codes, loading inputs, writing results, progress.

#include "assembly/amd/code_decoder.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "assembly/support/printable.hpp"
#include "assembly/support/result.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/options/launch_options.hpp"
#include "cli/options/machine_options.hpp"
#include "harness/device.hpp"
#include "harness/protocol/measure.hpp"
#include "harness/toolchain/kernel_file.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace warpbound::cli {

/// Exit codes of the program (design section 6).
enum class Exit : int {
    Holds = 0,
    Violated = 1,
    Usage = 2,
    Refused = 3,
    Undecided = 4,
    Tampered = 5, ///< `verify` only.
};

/// The action that the parsed command line requests. Set by the chosen subcommand's callback.
struct Invocation {
    std::function<Exit()> run;
};

// One function per subcommand, each in a file of its own: adds the subcommand to the parser.
void add_architectures(CLI::App& app, Invocation& invocation);
void add_calibrate(CLI::App& app, Invocation& invocation);
void add_campaign(CLI::App& app, Invocation& invocation);
void add_devices(CLI::App& app, Invocation& invocation);
void add_inspect(CLI::App& app, Invocation& invocation);
void add_manual(CLI::App& app, Invocation& invocation);
void add_measure(CLI::App& app, Invocation& invocation);
void add_predict(CLI::App& app, Invocation& invocation);
void add_simulate(CLI::App& app, Invocation& invocation);
void add_trace(CLI::App& app, Invocation& invocation);
#ifdef WARPBOUND_HAS_ANALYZER
void add_flow_facts(CLI::App& app, Invocation& invocation);
void add_analyze(CLI::App& app, Invocation& invocation);
void add_bound(CLI::App& app, Invocation& invocation);
void add_pipeline(CLI::App& app, Invocation& invocation);
void add_application(CLI::App& app, Invocation& invocation);
void add_schedulers(CLI::App& app, Invocation& invocation);
void add_certify(CLI::App& app, Invocation& invocation);
void add_verify(CLI::App& app, Invocation& invocation);
#endif

/// Prints a message on standard error, `printable`.
template <typename... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    std::fputs(printable(fmt::format(format, std::forward<Arguments>(arguments)...)).c_str(),
               stderr);
}

/// Prints the failure on standard error and gives the exit code of a refused input.
Exit refuse(const Failure& failure);

/// A result that is written piece by piece, to standard output ("-" or empty) or to a file. A file
/// is written under a temporary name in the same folder and renamed by `commit`, so that a full
/// disk leaves no half-written result. That name is always a new file: no link is followed. An
/// existing pipe or device is written directly. What goes to a terminal is `printable`.
class ResultFile {
public:
    static Result<ResultFile> open(const std::string& path);
    ~ResultFile();
    ResultFile(ResultFile&& other) noexcept;
    ResultFile& operator=(ResultFile&&) = delete;
    ResultFile(const ResultFile&) = delete;
    ResultFile& operator=(const ResultFile&) = delete;

    /// After a failure nothing more is written; `commit` reports the failure.
    void write(std::string_view text);
    [[nodiscard]] bool has_failed() const { return error_ != 0; }
    /// Requires: called once, last.
    Result<void> commit();

private:
    ResultFile(std::string path, std::string written, std::FILE* file)
        : path_{std::move(path)}, written_{std::move(written)}, file_{file},
          to_terminal_{isatty(fileno(file)) == 1} {}

    std::string path_;
    std::string written_; ///< Name of the file until `commit`; empty for standard output.
    std::FILE* file_ = nullptr;
    int error_ = 0;
    bool to_terminal_ = false;
};

/// Writes a result, `printable`, to standard output ("-" or empty) or to a file, as `ResultFile`
/// does.
Exit write_result(const std::string& text, const std::string& path = "-");

/// Refuses an output whose file, or the temporary file while it is written, is `input`: the result
/// would overwrite its own input.
Result<void> check_output(const std::string& output, const std::string& input);

/// A kernel as loaded: program, control flow and flow facts.
struct LoadedKernel {
    assembly::Program program;
    const assembly::Function* function = nullptr; ///< Into `program`.
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts;
    /// None where the file does not describe them.
    std::optional<std::vector<assembly::KernelParameterLayout>> parameters{};
    std::map<std::int64_t, std::string> constants{}; ///< Contents of constant banks that it holds.
    /// The source files whose comments state facts, as `facts.sources` names them.
    std::vector<assembly::SourceText> sources{};
    std::string flow_facts_digest{}; ///< Of the flow-facts file; empty without one.
    std::optional<harness::toolchain::AmdResources> amd{}; ///< Of AMD's code.
};

/// Options that name a kernel: FILE, --kernel, --target; with stated facts --flow-facts, --source.
struct KernelOptions {
    std::string file{};
    std::string kernel{};
    std::string flow_facts{};
    std::string target{};
    std::string source{};     ///< Folder of the source files; empty: as the listing names them.
    bool takes_facts = false; ///< The command uses stated facts.
    bool takes_amd = false;   ///< The command takes AMD's code.

    void add_to(CLI::App& command);
    void add_flow_facts_to(CLI::App& command);
};

/// Help text of FILE, --kernel and --target.
inline constexpr const char* file_help =
    "Code of the kernel: a cubin, fatbin or program, PTX, CUDA C++, or a listing (cuobjdump -sass, "
    "nvdisasm, bare text), each also as .gz or .xz; - reads standard input. AMD's code objects and "
    "assembly: inspect, flow-facts, bound, analyze, simulate, predict, schedulers, certify";
inline constexpr const char* kernel_help =
    "Name of the kernel, mangled or not, or a part of it, if the file holds several";
inline constexpr const char* target_help = "Target whose code is meant, as sm_80 or gfx90a, if the "
                                           "file holds several or is to be compiled";

/// The file's kernels. `machine`: that runs them, where it is known. `decoder`: of a command that
/// takes AMD's code. Refuses an unknown `target`.
Result<harness::toolchain::KernelFile>
open_kernel_file(const std::string& file, const std::string& target,
                 const std::optional<assembly::Target>& machine = {},
                 const assembly::amd::CodeDecoder* decoder = nullptr);

/// The kernel's control flow and, when given, its flow facts (digest and kernel name must match),
/// and the facts in comments of its source files.
Result<std::unique_ptr<LoadedKernel>> load_kernel(const harness::toolchain::KernelCode& code,
                                                  const KernelOptions& options);

/// Reads the kernel that the options name, as above.
Result<std::unique_ptr<LoadedKernel>>
load_kernel(const KernelOptions& options, const std::optional<assembly::Target>& machine = {});

/// Adds --arg, which may be repeated.
void add_arguments(CLI::App& command, std::vector<std::string>& arguments);

/// Options that name a launch of a kernel: those of the kernel, --flow-facts, of the machine and of
/// the launch.
struct LaunchOptions {
    KernelOptions kernel;
    MachineOptions machine;
    LaunchText launch;
    std::vector<std::string> arguments{};

    void add_to(CLI::App& command);
};

/// FILE and the options that name the launch, as they are typed.
std::string typed(const LaunchOptions& options);

/// A launch as loaded: kernel, machine description and launch configuration. The facts are those in
/// use.
struct LoadedLaunch {
    std::unique_ptr<LoadedKernel> kernel;
    models::Architecture architecture;
    models::Launch launch;

    /// Points into this.
    [[nodiscard]] harness::Kernel launched() const {
        return {kernel->function, &kernel->graph, &kernel->facts, launch};
    }
};
/// Refuses what cannot be read, and code that the machine does not run.
Result<LoadedLaunch> load_launch(const LaunchOptions& options);
/// Likewise, of a kernel and a machine that are read already.
Result<LoadedLaunch> load_launch(const LaunchOptions& options, models::Architecture architecture,
                                 std::unique_ptr<LoadedKernel> kernel);

/// Refuses code that the machine does not run.
Result<void> check_target(const LoadedKernel& kernel, const models::Architecture& architecture);

/// Replaces the stated facts of the kernel by those in use for a launch: what follows from the
/// code, where this program contains the analyzer, and divergence wherever nothing is known.
Result<void> complete_facts(LoadedKernel& kernel, const models::Architecture& architecture,
                            const models::Launch& launch);

/// Number of clock-read instructions of the kernel.
std::size_t clock_reads(const assembly::Function& function);

/// For the `check` of an option: why a text is no whole number from 0 to 2^64 - 1, as digits.
/// Empty: it is one.
std::string refusal_of_whole_number(const std::string& text);
/// The same for a finite number from 0 to 10^9, such as seconds.
std::string refusal_of_number(const std::string& text);

/// Adds --format with the given choices.
void add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats);
/// The same; without --format the ending of the name after -o chooses, as in times.html. Requires:
/// -o is added.
void add_format_or_ending(CLI::App& command, std::string& format,
                          const std::vector<std::string>& formats);

/// Adds --policy; a policy that `models::read_policy` refuses is a usage error.
void add_policy(CLI::App& command, std::string& policy);

/// Adds --multiprocessors: a number of SMs, at least 1, or all.
void add_multiprocessors(CLI::App& command, std::string& multiprocessors);

/// Adds --draw and keeps the choice in `draw`.
void add_draw(CLI::App& command, std::string& draw);
harness::Draw parse_draw(const std::string& draw);

/// Protocol of `runs` runs on the simulated device, which needs no warm-up.
harness::Protocol protocol_of(std::int64_t runs, std::uint64_t seed, const std::string& draw);

/// A bar on standard error when that is a terminal and not quiet, nothing otherwise; stops the work
/// after Ctrl-C. For work of unknown size (0 wanted) it shows the amount done.
class ProgressBar {
public:
    explicit ProgressBar(std::string label);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    [[nodiscard]] harness::Progress callback();

private:
    std::string label_;
    bool shown_ = false;
};
/// While the scope lives, the first Ctrl-C stops running work, as a time limit in seconds does; the
/// second ends the process.
[[nodiscard]] StopScope watch_for_interrupt(std::optional<double> time_limit = {});
bool interrupted();

/// Adds --time-limit, a number of seconds.
void add_time_limit(CLI::App& command, std::optional<double>& seconds, const std::string& purpose);

/// "0x00d0".
std::string hexadecimal(std::int64_t address);
/// Number of worker threads to use: that of `add_threads`, else one for each core.
unsigned worker_threads();
/// Adds --threads.
void add_threads(CLI::App& command);

/// Series key of a kernel on a device, as `simulate`, `analyze` and `certify` record and look up.
harness::SeriesKey series_key(const assembly::Program& program, const harness::Kernel& launched,
                              const harness::DeviceIdentity& device,
                              const harness::Protocol& protocol, harness::Quantity quantity);
std::string quantity_name(harness::Quantity quantity);

/// Assumptions about unknown resource needs of blocks that affect occupancy (C30), when `blocks`
/// blocks of these kernels are launched in all.
std::vector<std::string> residency_assumptions(const std::vector<harness::Kernel>& kernels,
                                               std::int64_t blocks);

} // namespace warpbound::cli
