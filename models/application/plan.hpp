#pragma once
/// \file
/// An application with values for its parameters: ranks, servers and the operations of each rank in
/// order.

#include "models/application/application.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models::application {

enum class ServerKind { Cores, Device, Link };
/// "cores", "device", "link".
std::string_view to_string(ServerKind kind);

/// Serves operations in the order of their arrival, `capacity` of them at a time.
struct Server {
    std::string name;
    ServerKind kind = ServerKind::Cores;
    std::int64_t capacity = 1;
};

/// A time that operations take, or what it is to be found from. Equal ones stand once.
struct PlannedTime {
    enum class Origin { Stated, Kernel, DescribedCopy };
    Origin origin = Origin::Stated;
    std::string name{};              ///< Of the kernel or step, for messages.
    std::optional<TimeRange> time{}; ///< None until it is found.
    Basis basis = Basis::Estimate;
    std::string source{};
    std::size_t kernel = 0; ///< Of a kernel.
    std::size_t device = 0; ///< Group of the device of a kernel or a copy.
    /// Of the launch of a kernel: one number, or those in x, y and z; empty: none is stated.
    std::vector<std::int64_t> blocks{};
    std::vector<std::int64_t> threads{};
    std::vector<std::pair<std::string, Rational>> values{}; ///< Of the kernel.
    std::int64_t bytes = 0;                                 ///< Of a copy.
    bool is_to_device = true;
    std::int64_t line = 0;

    friend bool operator==(const PlannedTime&, const PlannedTime&) = default;
};

enum class OperationKind { Computation, Kernel, CopyToDevice, CopyToHost, Message };
/// "computation", "kernel", "host-to-device", "device-to-host", "message".
std::string_view to_string(OperationKind kind);
inline constexpr std::size_t operation_kinds = 5;

/// Shape: of `Plan::operations`.
struct Operation {
    OperationKind kind = OperationKind::Computation;
    std::size_t rank = 0;
    std::size_t name = 0; ///< Into `Plan::names`.
    std::size_t server = 0;
    std::size_t time = 0;               ///< Into `Plan::times`.
    std::optional<std::size_t> extra{}; ///< Another time, in addition: the cost of a launch.
    /// It starts behind the operation of the rank's stream before it.
    std::size_t stream = 0;
    bool waits = true;
    std::size_t receiver = 0; ///< Rank of a message.
    std::int64_t bytes = 0;   ///< Of a copy or a message.
    std::int64_t line = 0;
};

/// What a rank does next.
struct Action {
    enum class Kind {
        Operate, ///< `index`: the operation.
        Receive, ///< `index`: the rank whose next message is awaited.
        Wait,    ///< `index`: the stream, or `all_streams`.
        Barrier  ///< `index`: the barrier group.
    };
    Kind kind = Kind::Operate;
    std::size_t index = 0;
    std::optional<std::size_t> time{}; ///< Of a barrier, behind the last arrival.
    std::size_t name = 0;
    std::int64_t line = 0;
};
inline constexpr std::size_t message_stream = 1;
inline constexpr std::size_t all_streams = static_cast<std::size_t>(-1);

struct Rank {
    std::string name;
    std::size_t process = 0;
    std::size_t streams = 0; ///< 0: computations, 1: messages, then those of devices.
    std::vector<Action> actions;
};

struct Plan {
    Values parameters;
    std::optional<Nanoseconds> deadline{}; ///< Side: rounded down.
    std::vector<Server> servers;
    std::vector<PlannedTime> times;
    std::vector<std::string> names;
    std::vector<Operation> operations;
    std::vector<Rank> ranks;
    std::vector<std::size_t> barriers; ///< Members of each barrier group.
    std::set<Collective> collectives{};

    /// The time of an operation with its extra time. Requires: both are found.
    [[nodiscard]] TimeRange time_of(const Operation& operation) const;
};

/// Refuses, each with its line: counts that are no whole numbers in range, ranks and devices that
/// are not there, links that do not connect the ranks of a message, and more than 500,000
/// operations.
Result<Plan> plan_of(const Application& application);

} // namespace warpbound::models::application
