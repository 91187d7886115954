#pragma once
/// \file
/// Pipelines that share a GPU: stages on servers, releases, deadlines, and who else uses its
/// memory.

#include "models/bounds.hpp"
#include "models/launch/launch.hpp"
#include "models/statistics/discrete_distribution.hpp"
#include "models/time/clock.hpp"
#include "models/time/duration.hpp"
#include "models/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

/// Which of the waiting operations a server takes next. A server executes one operation at a time
/// and never idles while one waits.
enum class ServerOrder {
    Any,      ///< Any of them, and it may interrupt one for another: nothing is assumed.
    Fifo,     ///< The one that arrived first; never interrupted.
    Priority, ///< One of the most urgent (the smallest number); never interrupted.
};
/// "any", "fifo", "priority".
std::string_view to_string(ServerOrder order);

/// A partition of the SMs, or a copy engine.
struct PipelineServer {
    std::string name;
    ServerOrder order = ServerOrder::Any;
    std::int64_t multiprocessors = 0; ///< Of a partition; 0: a copy engine.
};

/// Memories that all servers share, and a value for each: shape [memory].
inline constexpr std::array<std::string_view, 2> shared_memories{"l2", "dram"};
template <typename Value> using PerMemory = std::array<Value, shared_memories.size()>;

enum class StageKind { Kernel, CopyToDevice, CopyToHost, Host };
/// "kernel", "host-to-device", "device-to-host", "host".
std::string_view to_string(StageKind kind);

/// Where the times of a stage come from.
enum class TimeBasis {
    Stated,   ///< Somebody says that they are bounds.
    Measured, ///< Observed: no bound, and neither is what is computed from it.
    Bounded,  ///< The analyzer's bounds on the code, or the described copies of the machine.
};
/// "stated", "measured", "bounded".
std::string_view to_string(TimeBasis basis);

/// Code of a kernel stage, to be bounded on the SMs of its partition. File names as stated.
struct StageCode {
    std::string file;
    std::string kernel;
    std::string flow_facts;
    std::string policy;
    Launch launch;
};

/// Where observed own times of a stage are: a file of one time a line, or a series of a campaign.
/// File names as stated.
struct StageSamples {
    std::string file;
    std::string unit; ///< Of the times in `file`.
    std::string campaign;
    std::string series;    ///< Name of the series in `campaign`.
    std::int64_t line = 0; ///< In the file of the system.
};

/// A stage: one operation of a job. `Unit:` of `traffic`: bytes of a job, write-backs included;
/// none: unknown.
struct PipelineStage {
    std::string name;
    StageKind kind = StageKind::Host;
    std::optional<std::size_t> server{}; ///< None: a host task, whose time is its response time.
    std::string stream{};
    std::int64_t priority = 0;
    std::vector<std::size_t> after{}; ///< Stages of the pipeline that end before it starts; all
                                      ///< smaller than its own index.
    std::int64_t bytes = 0;           ///< Of a copy.
    TimeBasis basis = TimeBasis::Stated;
    std::string source{}; ///< Of the times, as stated.
    std::optional<StageCode> code{};
    /// Cost of a launch or of the call of a copy, in addition to `cycles`.
    std::optional<Bounds<Nanoseconds>> cost{};
    std::optional<Bounds<Cycles>> cycles{}; ///< Of the code; its time follows from the clock.
    /// Time from its start to its end when nothing else uses the device. None: not known yet.
    std::optional<Bounds<Nanoseconds>> time{};
    PerMemory<std::optional<std::int64_t>> traffic{};
    PerMemory<bool> is_traffic_derived{};  ///< It follows from the code.
    std::string traffic_refusal{};         ///< Why what is unknown does not follow from the code.
    std::optional<StageSamples> samples{}; ///< For the estimate of missed deadlines only.
    std::int64_t line = 0;                 ///< In the file.
};

struct Pipeline {
    std::string name;
    std::vector<PipelineStage> stages;
    /// Between the nominal instants of two releases: exactly (periodic) or at least (sporadic).
    Nanoseconds distance;
    bool is_periodic = true;
    Nanoseconds jitter; ///< A job is released at most so long after its nominal instant.
    /// For the time from the nominal instant to the end of the last stage.
    std::optional<Nanoseconds> deadline{};
    bool is_soft = false;
    std::string tolerated_miss_rate{}; ///< Of a soft deadline, as stated.
    /// A job may start before the job before it has ended.
    bool overlaps = false;
    /// Of the own times of its stages within a job. Unknown takes the worst.
    Dependence dependence = Dependence::Unknown;
};

/// An operation that a best-effort client repeats.
struct ClientOperation {
    std::size_t server = 0;
    Nanoseconds longest;
    std::optional<Nanoseconds> distance{}; ///< Between two arrivals, at least; none: unknown.
};
/// In every interval of length t a memory serves at most burst + rate t of a client.
/// `Unit:` bytes, bytes per second.
struct TrafficBudget {
    std::int64_t burst = 0;
    std::int64_t rate = 0;
};
/// Whoever uses the device beside the pipelines. It has the least urgent priority.
struct BestEffortClient {
    std::string name;
    std::vector<ClientOperation> operations;
    PerMemory<std::optional<TrafficBudget>> traffic{};
};

/// What is known of the shared memories.
struct MemorySharing {
    bool is_excluded = false; ///< Stated: nobody delays anybody else in memory.
    bool keeps_lines = false; ///< Stated: nobody evicts lines of the L2 that others use.
    /// Service for all together, at least. `Unit:` bytes per second.
    PerMemory<std::optional<std::int64_t>> bandwidth{};
};

struct PipelineSystem {
    std::string name;    ///< Of the file.
    std::string digest;  ///< Of the file.
    std::string machine; ///< Empty: none is stated.
    std::optional<ClockRange> clock{};
    std::vector<PipelineServer> servers;
    MemorySharing memory;
    std::vector<Pipeline> pipelines;
    std::vector<BestEffortClient> clients;
};

/// No claim is made on a longer time, and evidence with one is refused: four and a half years.
inline constexpr Nanoseconds longest_latency{std::int64_t{1} << 57U};

/// Whether others may wait for traffic of the stage that is not stated and may follow from its
/// code: other engines or partitions are in use, and interference is not excluded.
bool needs_derived_traffic(const PipelineSystem& system, const PipelineStage& stage);
/// Fills in what is not stated. `bytes`: from the code of the stage.
void take_derived_traffic(PipelineStage& stage, const PerMemory<std::int64_t>& bytes);

/// The times of stages that are known in cycles, at this clock: outward, with their cost.
void use_clock(PipelineSystem& system, const ClockRange& clock);

/// The system with one pipeline alone: without the other pipelines and without clients.
PipelineSystem alone(const PipelineSystem& system, std::size_t pipeline);

} // namespace warpbound::models
