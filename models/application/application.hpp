#pragma once
/// \file
/// An application: ranks on hosts that compute, launch kernels, copy and send messages.

#include "models/application/quantity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::models::application {

/// What a time claims to be.
enum class Basis {
    Estimate, ///< An approximation: may err on either side.
    Measured, ///< Observed: no bound.
    Bounds,   ///< Stated or proved as bounds.
};
/// "estimate", "measured", "bounds".
std::string_view to_string(Basis basis);

/// A time as somebody states it.
struct StatedTime {
    Quantity time;
    Basis basis = Basis::Estimate;
    std::string source{};
};

struct Parameter {
    std::string name;
    Rational value;
};

/// Hosts of one kind. A core does one computation at a time.
struct HostGroup {
    std::string name;
    Expression count;
    Expression cores;
    std::int64_t line = 0;
};

/// GPUs of one kind, `count` in each host of a group. A device serves one kernel at a time.
struct DeviceGroup {
    std::string name;
    std::size_t host = 0;
    Expression count;
    std::string machine{};              ///< Name or file of a description; empty: none is stated.
    std::string clock{};                ///< Empty: that of the description.
    std::optional<std::size_t> link{};  ///< None: one link for each device, as described.
    std::optional<StatedTime> launch{}; ///< Cost of a launch, in addition to the kernel.
    std::int64_t line = 0;
};

/// What one link connects.
enum class LinkScope {
    Device,  ///< A device and its host.
    Host,    ///< A host and all its devices, or the ranks of a host among each other.
    Pair,    ///< Two hosts.
    Cluster, ///< All hosts.
};
/// "device", "host", "pair", "cluster".
std::string_view to_string(LinkScope scope);

/// T = start + bytes / bandwidth. A link serves one transfer at a time in a direction.
struct LinkDirection {
    std::optional<Quantity> start{};     ///< None: 0, or as the device describes it.
    std::optional<Quantity> bandwidth{}; ///< None: as the device describes it.
};
struct Link {
    std::string name;
    LinkScope scope = LinkScope::Device;
    bool is_full_duplex = false; ///< Both directions at the same time.
    /// From host to device, and back; messages take the first.
    std::array<LinkDirection, 2> directions{};
    Basis basis = Basis::Estimate;
    std::string source{};
    std::int64_t line = 0;
};

/// Where the time of a kernel comes from.
enum class KernelSource {
    Stated,   ///< The description of the application.
    Volkov,   ///< Volkov's model with stated demands of a warp.
    Formula,  ///< A formula of `predict` on a profile or a listing.
    Code,     ///< The bounds of `analyze` on the code.
    Campaign, ///< A measured series.
};
/// "stated", "volkov", "formula", "code", "campaign".
std::string_view to_string(KernelSource source);

using NamedExpression = std::pair<std::string, Expression>;

/// File names are relative to the file of the application.
struct Kernel {
    std::string name;
    KernelSource source = KernelSource::Stated;
    std::optional<StatedTime> stated{};
    /// One number, or those in x, y and z. Empty: no launch is stated.
    std::vector<Expression> blocks{};
    std::vector<Expression> threads{}; ///< Per block.
    std::string file{};                ///< Code, or a campaign.
    std::string profile{};             ///< Of a formula, instead of code.
    std::string function{};            ///< Of the file; the series of a campaign.
    std::string flow_facts{};          ///< Of the code.
    std::string policy{};              ///< Of the bounds on the code.
    std::string model{};               ///< A formula.
    /// Demands of a warp, parameters of a formula, or arguments of the code.
    std::vector<NamedExpression> values{};
    std::int64_t line = 0;
};

enum class StepKind {
    Computation,
    Launch,
    CopyToDevice,
    CopyToHost,
    Send,
    Receive,
    Wait,
    Barrier,
    Collective,
    Loop
};

/// What all ranks of a group do together, as messages of a stated algorithm.
enum class Collective {
    Broadcast, ///< Binomial tree.
    Reduce,    ///< Binomial tree.
    AllReduce, ///< Recursive doubling.
    RingAllReduce,
    Barrier ///< Dissemination.
};
/// "broadcast by a binomial tree", ..
std::string_view to_string(Collective collective);

/// A step of a rank. Which members mean something depends on the kind.
struct Step {
    StepKind kind = StepKind::Computation;
    std::string name{};
    std::optional<Expression> when{}; ///< Executed where it is not 0. None: always.
    std::optional<StatedTime> time{}; ///< Of a computation; of a barrier behind the last arrival.
    std::size_t kernel = 0;           ///< Of a launch.
    std::optional<Quantity> size{};   ///< Of a copy or a message. `Unit:` bytes.
    std::size_t peer = 0;             ///< Process of the other rank of a message.
    std::optional<Expression> peer_rank{};   ///< Of a collective: its root. None: 0.
    std::size_t link = 0;                    ///< Of a message.
    std::optional<std::size_t> local_link{}; ///< Of a message inside a host.
    std::string stream{};                    ///< Operations of a stream follow each other.
    bool waits = true;                       ///< The rank waits for the end of the operation.
    bool among_all = false; ///< Of a barrier or a collective: all ranks of the application.
    Collective collective = Collective::Broadcast;
    /// At which a core combines two blocks of a reduction. `Unit:` bytes per second.
    std::optional<Quantity> combine{};
    Basis basis = Basis::Estimate; ///< Of `combine`.
    std::string source{};
    std::string variable{};            ///< Of a loop; 0, 1, ..
    std::optional<Expression> count{}; ///< Iterations.
    std::vector<Step> body{};
    std::int64_t line = 0;
};

/// Ranks that execute the same steps.
struct Process {
    std::string name;
    Expression ranks;
    std::size_t host = 0;
    std::optional<Expression> node{};    ///< Host of a rank; none: evenly, neighbours together.
    std::optional<std::size_t> device{}; ///< Group of the device that a rank uses.
    std::optional<Expression> index{};   ///< Of the device in its host; none: in turn.
    std::vector<Step> steps{};
    std::int64_t line = 0;
};

struct Application {
    std::string name;   ///< Of the file.
    std::string digest; ///< Of the file.
    /// For the end of the last operation, from the start of the application.
    std::optional<Quantity> deadline{};
    std::vector<Parameter> parameters;
    std::vector<HostGroup> hosts;
    std::vector<Link> links;
    std::vector<DeviceGroup> devices;
    std::vector<Kernel> kernels;
    std::vector<Process> processes;
};

/// Reads NAME=VALUE and gives the parameter that value. Refuses a name that is not declared.
Result<void> set_parameter(Application& application, std::string_view name, const Rational& value);

} // namespace warpbound::models::application
