#pragma once
/// \file
/// Lays out hosts, devices, links and ranks, and unrolls the steps of each rank; used by `plan_of`
/// only.

#include "models/application/plan.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpbound::models::application {

class Planner {
public:
    explicit Planner(const Application& application) : application_{application} {}

    Result<Plan> plan();

private:
    /// Where a rank is and what it uses.
    struct Placement {
        std::size_t node = 0; ///< Host, counted over all groups.
        std::optional<std::size_t> device{};
    };
    struct DeviceInstance {
        std::size_t server = 0;
        std::size_t group = 0;
        std::array<std::size_t, 2> links{}; ///< Servers of copies to and from it.
    };

    Result<void> deadline();
    Result<void> hosts();
    Result<void> devices();
    Result<void> ranks();
    Result<Placement> place(const Process& process, std::size_t rank,
                            std::map<std::size_t, std::size_t>& used);
    Result<void> unroll(const std::vector<Step>& steps, std::size_t rank);
    Result<void> unroll_loop(const Step& step, std::size_t rank);
    Result<void> add_step(const Step& step, std::size_t rank);
    Result<void> add_computation(const Step& step, std::size_t rank);
    Result<void> add_launch(const Step& step, std::size_t rank);
    Result<void> add_copy(const Step& step, std::size_t rank);
    Result<void> add_send(const Step& step, std::size_t rank);
    Result<void> add_message(const Step& step, std::size_t rank, std::size_t peer,
                             std::int64_t bytes, bool waits);
    Result<void> add_barrier(const Step& step, std::size_t rank);
    Result<void> add_operation(Operation operation, const Step& step);

    /// The ranks of a collective, and one of them.
    struct Group {
        std::size_t first = 0;
        std::size_t size = 0;
        std::size_t me = 0;   ///< From 0.
        std::size_t root = 0; ///< From 0.

        [[nodiscard]] std::size_t rank(std::size_t member) const { return first + member; }
    };
    Result<Group> group_of(const Step& step, std::size_t rank) const;
    Result<void> add_collective(const Step& step, std::size_t rank);
    Result<void> broadcast(const Step& step, const Group& group, std::int64_t bytes);
    Result<void> reduce(const Step& step, const Group& group, std::int64_t bytes);
    Result<void> double_recursively(const Step& step, const Group& group, std::int64_t bytes);
    Result<void> ring(const Step& step, const Group& group, std::int64_t bytes);
    Result<void> disseminate(const Step& step, const Group& group);
    Result<void> receive(const Step& step, std::size_t rank, std::size_t peer);
    /// Sends to one rank while it receives from another.
    Result<void> exchange(const Step& step, std::size_t rank, std::size_t to, std::int64_t bytes,
                          std::size_t from);
    Result<void> combine(const Step& step, std::size_t rank, std::int64_t bytes);
    Result<void> count_action(std::int64_t line);

    Failure refuse(std::int64_t line, std::string what) const {
        return {std::move(what), application_.name, line};
    }
    Result<std::int64_t> whole(const Expression& expression, const std::string& what,
                               std::int64_t least, std::int64_t most, std::int64_t line) const;
    Result<void> sizes(const std::vector<Expression>& expressions, const std::string& what,
                       std::int64_t most, std::int64_t line,
                       std::vector<std::int64_t>& found) const;
    Result<std::size_t> peer_of(const Step& step) const;
    Result<std::int64_t> bytes_of(const Step& step) const;
    /// Start and bytes at the bandwidth of a link.
    Result<TimeRange> transfer_time(const LinkDirection& direction, std::int64_t bytes,
                                    const std::string& what, std::int64_t line) const;
    Result<std::size_t> stated(const StatedTime& stated, const std::string& name,
                               std::int64_t line);
    std::size_t time(PlannedTime wanted);
    std::size_t server(std::string name, ServerKind kind, std::int64_t capacity);
    std::size_t link_server(std::size_t link, std::size_t first, std::size_t second,
                            std::size_t direction);
    std::size_t name(const std::string& text);
    std::size_t stream(std::size_t rank, const std::string& name);

    const Application& application_;
    Plan plan_;
    Values values_;
    std::vector<std::int64_t> host_counts_; ///< Of each group.
    std::vector<std::size_t> first_node_;   ///< Of each group.
    std::vector<std::string> node_names_;   ///< Also the number of their core servers.
    std::vector<DeviceInstance> devices_;
    /// Instances in a host: [group of devices][node].
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> devices_in_;
    std::vector<std::size_t> first_rank_; ///< Of each process.
    std::vector<std::int64_t> rank_counts_;
    std::vector<Placement> placements_; ///< Of each rank.
    std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>, std::size_t>
        link_servers_;
    std::map<std::string, std::size_t> name_numbers_;
    std::map<std::string, std::size_t> time_numbers_;
    std::map<const StatedTime*, std::size_t> constant_times_;     ///< Without names of parameters.
    std::vector<std::map<std::string, std::size_t>> streams_;     ///< Of each rank.
    std::map<std::size_t, std::vector<TimeRange>> barrier_times_; ///< Of each group, in order.
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> barriers_passed_;
    std::size_t actions_ = 0;
};

} // namespace warpbound::models::application
