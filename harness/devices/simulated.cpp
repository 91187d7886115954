#include "harness/devices/simulated.hpp"

#include "harness/simulator/machine.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::harness {

namespace {

class SimulatedKernel final : public PreparedKernel {
public:
    explicit SimulatedKernel(std::shared_ptr<const simulator::Machine> machine)
        : machine_{std::move(machine)} {}

    Result<models::Observation> run(const RunOptions& options) const override {
        return machine_->run(options);
    }

private:
    std::shared_ptr<const simulator::Machine> machine_;
};

class SimulatedDevice final : public Device {
public:
    explicit SimulatedDevice(models::Architecture architecture)
        : architecture_{std::move(architecture)} {}

    [[nodiscard]] DeviceIdentity identity() const override {
        return DeviceIdentity{.name = fmt::format("simulated:{}", architecture_.name),
                              .detail = fmt::format("{}, policy lrr", architecture_.digest)};
    }

    Result<std::unique_ptr<PreparedKernel>> prepare(const Kernel& kernel) const override {
        auto machine = simulator::Machine::prepare(architecture_, kernel);
        if (!machine) return machine.as_failure();
        return std::unique_ptr<PreparedKernel>{
            std::make_unique<SimulatedKernel>(std::move(machine.value()))};
    }

private:
    models::Architecture architecture_;
};

} // namespace

std::unique_ptr<Device> simulated_device(models::Architecture architecture) {
    return std::make_unique<SimulatedDevice>(std::move(architecture));
}

} // namespace warpbound::harness
