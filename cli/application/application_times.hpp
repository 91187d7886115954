#pragma once
/// \file
/// Times of an application that are not stated: formulas, bounds on code, measured series and
/// described copies, as values.

#include "analyzer/bound.hpp"
#include "assembly/support/result.hpp"
#include "models/application/plan.hpp"
#include "models/architecture/architecture.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpbound::cli {

/// Keeps machines and times from plan to plan of one application.
class ApplicationTimesSource {
public:
    explicit ApplicationTimesSource(double time_limit) : time_limit_{time_limit} {}

    /// Fills in every time. Refuses, at the line of the kernel, what has none, naming what to
    /// state. File names are relative to the file of the application.
    Result<void> complete(const models::application::Application& application,
                          models::application::Plan& plan);

    /// Of the bounds on code, each text once.
    [[nodiscard]] const std::vector<analyzer::Assumption>& assumptions() const {
        return assumptions_;
    }

private:
    Result<const models::Architecture*> machine(const std::string& name);
    Result<void> find(const models::application::Application& application,
                      models::application::PlannedTime& time);

    double time_limit_;
    std::map<std::string, models::Architecture> machines_;
    std::map<std::string, models::application::PlannedTime> found_;
    std::vector<analyzer::Assumption> assumptions_;
    std::set<std::string> texts_;
};

} // namespace warpbound::cli
