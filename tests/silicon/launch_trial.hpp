#pragma once
/// \file
/// One measured launch of an own kernel: its bounds, its simulated time and what published models
/// predict for it.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/bounds.hpp"
#include "models/launch/launch.hpp"
#include "models/units.hpp"
#include "tests/silicon/csv.hpp"
#include "tests/silicon/resource_use.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::silicon {

/// A card of the measured launches.
struct MeasuredCard {
    std::string name;
    models::Architecture machine;
    double kilohertz = 0; ///< At which it computed: cycles in a millisecond.
    double period = 0; ///< Of empty kernels that are launched back to back. `Unit:` microseconds.
};

/// A launch, with the objects that it refers to.
class LaunchTrial {
public:
    /// `row` of whole_kernels.csv, `kernel` of kernels.csv; listings lie in `folder`.
    static Result<std::unique_ptr<LaunchTrial>> load(const Record& row, const Record& kernel,
                                                     const MeasuredCard& card,
                                                     const std::filesystem::path& folder);

    [[nodiscard]] const models::Launch& launch() const { return launch_; }
    /// `Unit:` core cycles, launch cost not included.
    [[nodiscard]] Result<models::Bounds<models::Cycles>> bounds() const;
    /// Two launches back to back on the data of the arguments, all values typical (C78).
    [[nodiscard]] Result<SimulatedLaunch> simulate() const;
    /// Cycles by model, with passes and miss rates of the simulated run; models that refuse are
    /// left out.
    [[nodiscard]] std::map<std::string, double> predict(const SimulatedLaunch& simulated) const;

private:
    explicit LaunchTrial(const MeasuredCard& card) : card_{card} {}

    const MeasuredCard& card_;
    std::string name_;
    std::string arguments_; ///< With numbers for the symbols.
    assembly::Program program_;
    assembly::ControlFlowGraph graph_;
    models::Launch launch_; ///< With the arguments that are numbers.
};

} // namespace warpbound::silicon
