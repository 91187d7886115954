#include "cli/measurement/measurement_plan.hpp"

#include "assembly/support/source_text.hpp"
#include "harness/protocol/release_pattern.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace warpbound::cli {

namespace {

using models::XmlElement;

class MeasurementPlanReader {
public:
    MeasurementPlanReader(assembly::SourceText source, const std::string& path)
        : source_{std::move(source)}, folder_{std::filesystem::path{path}.parent_path()} {}

    Result<MeasurementPlan> read() {
        const auto root = models::read_xml(source_, "measurement-plan");
        if (!root) return root.as_failure();
        if (auto checked =
                models::check_attributes(source_, root.value(), {"repetitions"}, {"warm-up"});
            !checked)
            return checked.as_failure();
        const auto repetitions =
            models::integer_attribute(source_, root.value(), "repetitions", 1, 100'000'000);
        if (!repetitions) return repetitions.as_failure();
        plan_.repetitions = repetitions.value();
        if (root.value().find("warm-up") != nullptr) {
            const auto runs =
                models::integer_attribute(source_, root.value(), "warm-up", 0, 1'000'000);
            if (!runs) return runs.as_failure();
            plan_.warm_up = runs.value();
        }
        for (const auto& element : root.value().children)
            if (auto done = axis(element); !done) return done.as_failure();
        for (const auto& element : root.value().children)
            if (element.name == "kernel")
                if (auto done = kernel(element); !done) return done.as_failure();
        if (plan_.points.empty()) return refuse(root.value(), "a plan without kernels");
        return std::move(plan_);
    }

private:
    Failure refuse(const XmlElement& element, std::string what) const {
        return models::refuse(source_, element, std::move(what));
    }

    Result<void> axis(const XmlElement& element) {
        if (auto checked = models::check_no_children(source_, element); !checked) return checked;
        if (element.name == "kernel") return boost::outcome_v2::success();
        if (element.name == "device") {
            if (auto checked = models::check_attributes(source_, element, {"name"}, {}); !checked)
                return checked;
            devices_.push_back(*element.find("name"));
        } else if (element.name == "launch") {
            if (auto checked = models::check_attributes(source_, element, {"grid", "block"}, {});
                !checked)
                return checked;
            LaunchText launch;
            launch.grid = *element.find("grid");
            launch.block = *element.find("block");
            launches_.push_back(std::move(launch));
        } else if (element.name == "release") {
            if (auto checked = models::check_attributes(source_, element, {"pattern"}, {});
                !checked)
                return checked;
            const std::string& pattern = *element.find("pattern");
            if (const auto read = harness::read_release(pattern); !read)
                return refuse(element, read.error().what);
            releases_.push_back(pattern);
        } else
            return refuse(element, "<" + element.name +
                                       ">: expected <kernel>, <device>, <launch> or <release>");
        return boost::outcome_v2::success();
    }

    /// What the kernel itself states.
    Result<MeasurementPoint> stated_kernel(const XmlElement& element) const {
        if (auto checked = models::check_attributes(
                source_, element, {"module", "name"},
                {"grid", "block", "dynamic-shared-memory", "arguments", "outputs"});
            !checked)
            return checked.as_failure();
        MeasurementPoint point;
        point.module_name = *element.find("module");
        point.kernel.module = (folder_ / point.module_name).string();
        point.kernel.kernel = *element.find("name");
        if (const auto* const outputs = element.find("outputs")) point.kernel.outputs = *outputs;
        if (const auto* const arguments = element.find("arguments")) {
            std::istringstream words{*arguments};
            for (std::string word; words >> word;)
                point.kernel.arguments.push_back(word);
        }
        return point;
    }

    Result<std::vector<LaunchText>> launches_of(const XmlElement& element) const {
        const auto* const grid = element.find("grid");
        const auto* const block = element.find("block");
        if ((grid == nullptr) != (block == nullptr))
            return refuse(element, "'grid' and 'block' belong together; one is missing");
        auto launches = launches_;
        if (grid != nullptr) {
            LaunchText own;
            own.grid = *grid;
            own.block = *block;
            launches = {own};
        }
        if (launches.empty())
            return refuse(element, "<kernel> without 'grid' and 'block'; expected them, or "
                                   "<launch grid=\"64\" block=\"256\"/> in the plan");
        if (element.find("dynamic-shared-memory") != nullptr) {
            const auto bytes = models::integer_attribute(source_, element, "dynamic-shared-memory",
                                                         0, std::int64_t{1} << 30U);
            if (!bytes) return bytes.as_failure();
            for (LaunchText& launch : launches)
                launch.dynamic_shared_memory = bytes.value();
        }
        return launches;
    }

    Result<void> kernel(const XmlElement& element) {
        const auto stated = stated_kernel(element);
        if (!stated) return stated.as_failure();
        const auto launches = launches_of(element);
        if (!launches) return launches.as_failure();
        const auto devices = devices_.empty() ? std::vector{std::string{}} : devices_;
        const auto releases = releases_.empty() ? std::vector{std::string{}} : releases_;
        for (const auto& device : devices)
            for (const auto& launch : launches.value())
                for (const auto& release : releases) {
                    MeasurementPoint point = stated.value();
                    point.device = device;
                    point.kernel.launch = launch;
                    if (!release.empty()) point.kernel.releases = {release};
                    if (auto added = add(element, std::move(point)); !added) return added;
                }
        return boost::outcome_v2::success();
    }

    Result<void> add(const XmlElement& element, MeasurementPoint point) {
        constexpr std::size_t most_points = 100'000;
        if (plan_.points.size() == most_points)
            return refuse(element, "a plan of more than 100,000 points");
        const std::string name = point_name(plan_, point);
        if (!names_.insert(name).second) return refuse(element, "stated twice: " + name);
        plan_.points.push_back(std::move(point));
        return boost::outcome_v2::success();
    }

    assembly::SourceText source_;
    std::filesystem::path folder_;
    MeasurementPlan plan_;
    std::vector<std::string> devices_;
    std::vector<LaunchText> launches_;
    std::vector<std::string> releases_;
    std::set<std::string> names_;
};

} // namespace

Result<MeasurementPlan> read_measurement_plan(const std::string& path) {
    auto source = assembly::read_source(path);
    if (!source) return source.as_failure();
    return MeasurementPlanReader{std::move(source).value(), path}.read();
}

std::string point_name(const MeasurementPlan& plan, const MeasurementPoint& point) {
    const MeasuredKernelOptions& kernel = point.kernel;
    std::string name = fmt::format("{}:{}{}{}, grid {}, block {}", point.module_name, kernel.kernel,
                                   point.device.empty() ? "" : " on ", point.device,
                                   kernel.launch.grid, kernel.launch.block);
    if (const auto& bytes = kernel.launch.dynamic_shared_memory)
        name += fmt::format(", {} bytes of dynamic shared memory", *bytes);
    if (!kernel.arguments.empty())
        name += fmt::format(", arguments {}", fmt::join(kernel.arguments, " "));
    if (!kernel.releases.empty()) name += ", release " + kernel.releases.front();
    if (kernel.outputs != "all") name += ", outputs " + kernel.outputs;
    return fmt::format("{}, warm-up {}", name, plan.warm_up);
}

} // namespace warpbound::cli
