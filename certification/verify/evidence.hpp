#pragma once
/// \file
/// A bundle's content as this folder's checks see it, read without the code that wrote it.

#include "assembly/amd/code_decoder.hpp"
#include "assembly/isa/program.hpp"
#include "certification/verify/certificate.hpp"
#include "certification/verify/divergence/simt_stack.hpp"
#include "certification/verify/facts_in_use.hpp"
#include "certification/verify/samples.hpp"
#include "certification/verify/verdict.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"
#include "models/launch/warp_policy.hpp"
#include "models/time/clock.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

struct Term {
    std::int64_t count = 0;
    std::int64_t cycles = 0;
    std::string certificate; ///< Empty: a value of machine and launch.

    friend bool operator==(const Term&, const Term&) = default;
};

/// By which arguments on addresses accesses through caches wait (S22 to S22f, S57, S58).
struct QueueingArguments {
    enum class Rows { WholeTransfers, PerWaitingAccess, OncePerLaunch };
    bool hits = false;  ///< Loads take the latency of a hit; those that miss count as terms.
    bool ports = false; ///< The port of the loads is a server of the trace (S22d).
    Rows rows = Rows::WholeTransfers;
    /// The accesses are listed; no: it counts by their numbers alone (S59, step 8).
    bool addresses = true;

    [[nodiscard]] bool tails() const { return rows != Rows::WholeTransfers; }
};

/// Said: loads of one address form, executed by all threads of a box of thread blocks, touch so
/// many units of memory (S79 of docs/theory).
struct LoadedSetRow {
    std::int64_t load = 0; ///< Address of one of these loads.
    /// Offset in constant bank 0 of the pointer that the addresses begin at; none: another base.
    std::optional<std::int64_t> pointer;
    std::array<std::int64_t, 3> first_block{};
    std::array<std::int64_t, 3> last_block{}; ///< Inclusive.
    std::int64_t units = 0;
};

/// Said: data that the launch loads and that no store of it comes before, in different units.
struct LoadedDataRow {
    std::int64_t bytes = 0; ///< Of a unit.
    std::int64_t units = 0;
    std::vector<LoadedSetRow> sets;
};

/// Said: what a warp of a block demands of ports of the multiprocessor, and how long its stores
/// drain, by the indices of its threads (S85 of docs/theory). `Unit:` core cycles.
struct WarpRow {
    std::int64_t ports = 0;
    std::int64_t drain = 0;
};

struct ClaimRow {
    std::string id;
    std::string quantity;
    bool upper = true;
    std::string kind;
    std::int64_t value = 0;
    std::vector<std::string> assumptions;
    std::vector<Term> terms;
    bool limit_reached = false;         ///< A limit stopped the search for a tighter bound.
    std::optional<std::int64_t> time{}; ///< The value in nanoseconds, as claimed.
    /// None: nothing goes through caches, or the claim uses no addresses (S26).
    std::optional<QueueingArguments> queueing{};
    bool by_addresses = false; ///< Lower side: it uses the addresses of accesses through caches.
    /// Lower side: the data that it rests on; none: it rests on no loaded data (S79).
    std::optional<LoadedDataRow> loaded{};
    /// Upper side: of each warp of a block, in order; empty: the claim counts all warps alike.
    std::vector<WarpRow> warps{};
    bool assumes_caches = false; ///< One of its assumptions is that of S79.
};

/// What is claimed of the recorded runs of a file.
struct ObservedRow {
    std::string id;
    std::string path; ///< Of the samples.
    std::string quantity;
    std::string device;
    std::string protocol;
    std::int64_t count = 0; ///< Of times; a run may have several.
    std::int64_t best = 0;
    std::int64_t worst = 0;
};

struct KernelCase {
    std::string id;
    assembly::Program program;
    const assembly::Function* function = nullptr; ///< Into `program`.
    models::Architecture architecture;
    std::string architecture_path;
    models::FlowFacts stated_facts; ///< Those of the inputs.
    models::FlowFacts facts;        ///< Those in use.
    models::Launch launch;
    models::WarpPolicy policy;
    std::int64_t multiprocessors = 1;               ///< On which the launch runs.
    bool loads_through_caches = false;              ///< Stated of loads of unstated level (S79).
    std::optional<models::ClockRange> stated_clock; ///< Range that the user stated.
    std::vector<BlockRow> blocks;
    /// Facts in use that nobody states: said to follow from the code. Re-analysis derives them
    /// again; of loop bounds the step structure counts iterations itself.
    DerivedFacts derived_facts;
    std::vector<SerializedBlockRow> serialized; ///< Where lanes may diverge; else empty.
    std::vector<SimtStack> stacks;              ///< Of its blocks.
    std::vector<Certificate> certificates;
    std::vector<ClaimRow> claims; ///< Bounds.
    std::vector<Series> series;
    std::vector<ObservedRow> observed; ///< One per series, in order.
};

struct Evidence {
    std::string tool_version; ///< That made the bundle, as it says.
    std::vector<std::pair<std::string, std::string>> components; ///< Names and versions it says.
    std::vector<std::unique_ptr<KernelCase>> kernels;
    std::vector<Series> calibration; ///< What descriptions were read off.
};

/// Reads everything and checks what belongs together: ids, assumptions and who depends on them,
/// kinds against assumptions, digests of evidence. `decoder`: of AMD's instructions; without one
/// evidence on code of AMD is incomplete. Throws `Finding`.
Evidence read_evidence(const Files& files, const assembly::amd::CodeDecoder* decoder = nullptr);

} // namespace warpbound::certification::verify
