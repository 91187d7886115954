#pragma once
/// \file
/// All inputs of an evidence bundle, as texts. A bundle contains them, and the same inputs give the
/// same bytes, so that the bundle can be rebuilt and compared.

#include "analyzer/analyze.hpp"
#include "assembly/amd/code_decoder.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "certification/bundle/evidence_file.hpp"
#include "harness/campaign/campaign.hpp"
#include "harness/campaign/packed_samples.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/launch/warp_policy.hpp"
#include "models/time/clock.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification {

/// Times of one quantity as they were recorded, in run order.
struct SeriesInput {
    harness::SeriesKey key;
    harness::PackedSamples samples;
};

struct KernelInput {
    std::string kernel;                    ///< Name of the function.
    std::string launch;                    ///< "2x128"
    std::string policy;                    ///< As `models::read_policy` takes it.
    std::int64_t multiprocessors = 1;      ///< Number of SMs that the launch runs on.
    std::string listing;                   ///< Text, or a code object of AMD.
    std::string architecture;              ///< XML.
    std::optional<std::string> flow_facts; ///< XML.
    /// Source files whose comments state facts of `flow_facts`, which names them in this order.
    std::vector<std::string> sources{};
    std::vector<SeriesInput> series;
    std::optional<std::string> cubin_digest;  ///< Of the code that the listing was made from.
    std::optional<std::string> binary_digest; ///< Of the file that holds that code.
    std::string disassembler; ///< Name and version, where the listing was made here.
    /// Stated: the launch runs alone, and loads of unstated level go through the caches. Not so of
    /// simulated runs of stated paths, nor of stages of a pipeline (S79).
    bool loads_through_caches = false;
    std::vector<std::string> traces;  ///< Recorded executions (`.traceg`).
    std::optional<std::string> clock; ///< As `models::to_string` writes the stated range.
    /// Of AMD's instructions; none: code objects are refused. Not part of the evidence.
    const assembly::amd::CodeDecoder* decoder = nullptr;
};

/// A third-party component that the tool is built from.
struct Component {
    std::string name;
    std::string version; ///< Empty when the tool does not know it.
    std::string licence; ///< SPDX id.
};

struct BundleInputs {
    std::string tool_version;
    std::vector<Component>
        components; ///< Of the tool that wrote the bundle; kept when it is rebuilt.
    std::uint64_t solver_seed = 1;
    /// The check fails when an upper bound exceeds so many thousandths of the worst observed time;
    /// none: not checked.
    std::optional<std::int64_t> check_factor_thousandths;
    std::optional<std::string> requirements; ///< XML.
    /// Result of the qualification tests in the environment in use, as `scripts/qualification.sh`
    /// writes it.
    std::optional<std::string> qualification_result;
    /// Measurements from which values of the machine descriptions were derived, so that `verify`
    /// can derive them again.
    std::vector<SeriesInput> calibration;
    std::vector<KernelInput> kernels;
};

/// "K1" for the first kernel.
std::string kernel_id(std::size_t kernel);
/// Of a machine's description: by its name and the groups that are stated to cost nothing.
std::string model_path(const models::Architecture& machine);
/// "inputs/K1/listing.sass", or "inputs/K1/code.hsaco" of a code object of AMD.
std::string listing_path(const std::string& id, const std::string& listing);
/// "inputs/K1/trace-1.traceg" for the first trace of that kernel.
std::string trace_path(const std::string& id, std::size_t trace);
/// "inputs/K1/source-1.txt" for the first source file of that kernel.
std::string source_path(const std::string& id, std::size_t source);

/// The files of step "inputs". Refuses two different machine descriptions of one name.
Result<EvidenceFiles> input_files(const BundleInputs& inputs);
/// The inputs that a bundle contains. Refuses missing and malformed files, naming the file.
/// `decoder`: of AMD's instructions, for its kernels.
Result<BundleInputs> inputs_of(const std::map<std::string, std::string>& files,
                               const assembly::amd::CodeDecoder* decoder = nullptr);

/// A kernel's input as read. Points into itself.
struct LoadedInput {
    assembly::Program program;
    const assembly::Function* function = nullptr;
    assembly::ControlFlowGraph graph;
    /// Those in use, with infeasible paths (S19b) where guards hold; by `read_stated` as stated.
    models::FlowFacts facts;
    models::Architecture architecture;
    models::Launch launch;
    models::WarpPolicy policy;
    std::int64_t multiprocessors = 1;
    bool loads_through_caches = false; ///< As in `KernelInput`.
    /// No run of a simulated device is in the evidence: those of stated paths draw guards.
    bool follows_guards = true;
    std::optional<models::Clock> clock; ///< Stated, else that of the description.
};
/// With the facts that are stated alone. `id`: names the files in refusals. `will_simulate`: runs
/// on the simulated device are still to be added to the input.
Result<std::unique_ptr<LoadedInput>> read_stated(const KernelInput& input, const std::string& id,
                                                 bool will_simulate = false);
/// As `read_stated`, with the facts in use.
Result<std::unique_ptr<LoadedInput>> load(const KernelInput& input, const std::string& id,
                                          bool will_simulate = false);
/// The request to the analyzer for this input. Points into the input.
analyzer::Request request_of(const LoadedInput& input, std::uint64_t solver_seed);

} // namespace warpbound::certification
