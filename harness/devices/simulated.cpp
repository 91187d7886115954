#include "harness/devices/simulated.hpp"

#include "harness/execution/timed_values.hpp"
#include "harness/simulated_identity.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/shipped.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace warpbound::harness {

namespace {

class SimulatedKernel final : public PreparedKernel {
public:
    SimulatedKernel(std::shared_ptr<const simulator::Machine> machine, std::int64_t multiprocessors,
                    std::optional<execution::TimedCode> values)
        : machine_{std::move(machine)}, multiprocessors_{multiprocessors}, values_{
                                                                               std::move(values)} {}

    Result<Outcome> run(const RunOptions& options) const override {
        if (values_) return run_with_values(options);
        auto observation = machine_->run(options);
        if (!observation) return observation.as_failure();
        return Outcome{std::move(observation).value(), {}};
    }
    [[nodiscard]] Result<void> supports(Quantity quantity) const override {
        if (quantity == Quantity::CheckedRegion && !values_)
            return Failure{"the kernel was prepared without its values",
                           std::string{to_string(quantity)}};
        if (quantity != Quantity::ResidentBlocks || multiprocessors_ == 1)
            return boost::outcome_v2::success();
        return Failure{fmt::format("the blocks of a launch fill one multiprocessor, and this "
                                   "device has {}",
                                   multiprocessors_),
                       std::string{to_string(quantity)}};
    }

private:
    [[nodiscard]] Result<Outcome> run_with_values(const RunOptions& options) const {
        execution::TimedValues values{*values_};
        auto observation =
            machine_->run(options, [&](const simulator::Event& event) { values.receive(event); });
        if (!observation) return observation.as_failure();
        if (auto put = values.put_stored(observation.value()); !put) return put.as_failure();
        return Outcome{std::move(observation).value(), {}};
    }

    std::shared_ptr<const simulator::Machine> machine_;
    std::int64_t multiprocessors_;
    std::optional<execution::TimedCode> values_; ///< Of a kernel whose stores are observed.
};

/// A workload of one copy (C36).
class SimulatedCopy final : public PreparedKernel {
public:
    explicit SimulatedCopy(std::shared_ptr<const simulator::WorkloadMachine> machine)
        : machine_{std::move(machine)} {}

    Result<Outcome> run(const RunOptions& options) const override {
        const auto seen = machine_->run(options);
        if (!seen) return seen.as_failure();
        Outcome outcome;
        outcome.observation.seed = options.seed;
        outcome.observation.execution_time = models::Cycles{seen.value().makespan};
        return outcome;
    }
    [[nodiscard]] Result<void> supports(Quantity quantity) const override {
        return copy_supports(quantity);
    }

private:
    std::shared_ptr<const simulator::WorkloadMachine> machine_;
};

class SimulatedDevice final : public Device {
public:
    SimulatedDevice(models::Architecture architecture, const models::WarpPolicy& policy,
                    std::int64_t multiprocessors)
        : architecture_{std::move(architecture)}, policy_{policy},
          multiprocessors_{multiprocessors}, name_{std::string{simulated_prefix} +
                                                   models::name_with_standing(architecture_)} {}

    [[nodiscard]] DeviceIdentity identity() const override {
        return DeviceIdentity{.name = name_,
                              .detail = to_string(SimulatedDetail{
                                  architecture_.digest, to_string(policy_), multiprocessors_})};
    }

    [[nodiscard]] Result<models::Architecture> machine() const override { return architecture_; }

    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const override {
        if (kernel.copy) return prepare_copy(*kernel.copy);
        if (kernel.function == nullptr)
            return Failure{"has no listing, which a simulated device runs", identity().name};
        auto machine =
            simulator::Machine::prepare(architecture_, kernel, policy_, multiprocessors_);
        if (!machine) return machine.as_failure();
        std::optional<execution::TimedCode> values;
        if (kernel.observes_stores) {
            auto code = execution::TimedCode::of(*kernel.function, *kernel.graph, kernel.launch);
            if (!code) return code.as_failure();
            values = std::move(code).value();
        }
        return std::unique_ptr<PreparedKernel>{std::make_unique<SimulatedKernel>(
            std::move(machine.value()), multiprocessors_, std::move(values))};
    }

private:
    [[nodiscard]] Result<std::unique_ptr<PreparedKernel>> prepare_copy(const Copy& copy) const {
        models::HostOperation operation;
        operation.kind = copy.direction;
        operation.bytes = copy.bytes;
        auto machine =
            simulator::WorkloadMachine::prepare(architecture_, {{}, {operation}}, policy_);
        if (!machine) return machine.as_failure();
        return std::unique_ptr<PreparedKernel>{
            std::make_unique<SimulatedCopy>(std::move(machine).value())};
    }

    models::Architecture architecture_;
    models::WarpPolicy policy_;
    std::int64_t multiprocessors_;
    std::string name_;
};

} // namespace

std::unique_ptr<Device> simulated_device(models::Architecture architecture,
                                         const models::WarpPolicy& policy,
                                         std::int64_t multiprocessors) {
    return std::make_unique<SimulatedDevice>(std::move(architecture), policy, multiprocessors);
}

} // namespace warpbound::harness
