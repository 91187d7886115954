#include "harness/simulator/machine.hpp"

#include "harness/simulator/decode/translation.hpp"
#include "harness/simulator/machine_run.hpp"

#include <utility>

namespace warpbound::harness::simulator {

namespace {

class PreparedMachine final : public Machine {
public:
    explicit PreparedMachine(KernelCode code) : code_{std::move(code)} {}

    Result<models::Observation> run(const RunOptions& options,
                                    const Listener& listener) const override {
        return run_once(code_, options, listener);
    }

private:
    KernelCode code_;
};

} // namespace

Result<std::shared_ptr<const Machine>> Machine::prepare(const models::Architecture& architecture,
                                                        const Kernel& kernel,
                                                        const models::WarpPolicy& policy,
                                                        std::int64_t multiprocessors) {
    auto code = translate(architecture, kernel, policy, multiprocessors);
    if (!code) return code.as_failure();
    return std::shared_ptr<const Machine>{
        std::make_shared<const PreparedMachine>(std::move(code.value()))};
}

Result<std::shared_ptr<const WorkloadMachine>>
WorkloadMachine::prepare(const models::Architecture& architecture, const Workload& workload,
                         const models::WarpPolicy& policy, std::int64_t multiprocessors,
                         const StatedLaunchCost& launch_cost) {
    auto code = translate(architecture, workload, policy, multiprocessors, launch_cost);
    if (!code) return code.as_failure();
    return std::make_shared<const WorkloadMachine>(std::move(code.value()));
}

Result<WorkloadObservation> WorkloadMachine::run(const RunOptions& options,
                                                 const Listener& listener) const {
    return run_workload(code_.plan, options, listener);
}

} // namespace warpbound::harness::simulator
