#include "models/formulas/queues.hpp"

#include "models/formulas/input_check.hpp"

#include <fmt/core.h>

namespace warpbound::models::queues {
namespace {

/// The utilisation of a server that keeps up.
Result<double> stable_utilisation(const Load& load) {
    const auto found = utilisation(load);
    if (!found) return found.as_failure();
    if (found.value() >= 1)
        return Failure{fmt::format("queues: utilisation is {}; expected less than 1, above which "
                                   "requests wait without limit",
                                   found.value())};
    return found.value();
}

} // namespace

Result<double> utilisation(const Load& load) {
    if (const auto wrong = InputCheck{"queues"}
                               .not_negative("arrival rate", load.rate)
                               .positive("service time", load.service)
                               .failure())
        return *wrong;
    return load.rate * load.service;
}

Result<Estimate<Cycles>> constant_service_wait(const Load& load) {
    return general_service_wait(load, load.service * load.service);
}

Result<Estimate<Cycles>> exponential_service_wait(const Load& load) {
    return general_service_wait(load, 2 * load.service * load.service);
}

Result<Estimate<Cycles>> general_service_wait(const Load& load, double mean_square) {
    const auto rho = stable_utilisation(load);
    if (!rho) return rho.as_failure();
    if (const auto wrong = InputCheck{"queues"}
                               .positive("mean square of the service time", mean_square)
                               .require(mean_square >= load.service * load.service,
                                        "the mean square is below the square of the mean")
                               .failure())
        return *wrong;
    return Estimate<Cycles>{load.rate * mean_square / (2 * (1 - rho.value()))};
}

Result<BatchWait> batch_wait(double requests, double service) {
    if (const auto wrong = InputCheck{"queues"}
                               .not_negative("requests", requests)
                               .positive("service time", service)
                               .failure())
        return *wrong;
    return BatchWait{.mean = Estimate<Cycles>{requests * service / 2}, .last = requests * service};
}

Result<double> requests_in_system(double rate, double time) {
    if (const auto wrong = InputCheck{"queues"}
                               .not_negative("arrival rate", rate)
                               .positive("time in the system", time)
                               .failure())
        return *wrong;
    return rate * time;
}

} // namespace warpbound::models::queues
