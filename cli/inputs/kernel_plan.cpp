#include "cli/inputs/kernel_plan.hpp"

#include "cli/options/multiprocessors.hpp"
#include "models/time/clock.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <limits>
#include <sstream>
#include <utility>

namespace warpbound::cli {

namespace {

using models::XmlElement;

std::vector<std::string> words_of(const std::string* text) {
    std::vector<std::string> words;
    std::istringstream rest{text == nullptr ? std::string{} : *text};
    for (std::string word; rest >> word;)
        words.push_back(word);
    return words;
}

/// A machine and the number of its SMs.
struct PlannedMachine {
    MachineOptions machine;
    std::string multiprocessors;
};

class PlanReader {
public:
    PlanReader(assembly::SourceText source, const std::string& path)
        : source_{std::move(source)}, folder_{std::filesystem::path{path}.parent_path()} {}

    Result<KernelPlan> read() {
        const auto root = models::read_xml(source_, "plan");
        if (!root) return root.as_failure();
        if (auto stated = runs(root.value()); !stated) return stated.as_failure();
        for (const auto& element : root.value().children)
            if (auto done = axis(element); !done) return done.as_failure();
        for (const auto& element : root.value().children)
            if (element.name == "kernel")
                if (auto done = kernel(element); !done) return done.as_failure();
        if (plan_.kernels.empty()) return refuse(root.value(), "a plan without kernels");
        return std::move(plan_);
    }

private:
    Failure refuse(const XmlElement& element, std::string what) const {
        return models::refuse(source_, element, std::move(what));
    }
    [[nodiscard]] std::string in_folder(const std::string& file) const {
        return (folder_ / file).string();
    }

    Result<void> runs(const XmlElement& root) {
        if (auto checked = models::check_attributes(source_, root, {}, {"runs", "draw"}); !checked)
            return checked;
        if (root.find("runs") != nullptr) {
            const auto count = models::integer_attribute(source_, root, "runs", 1, 100'000'000);
            if (!count) return count.as_failure();
            plan_.runs = count.value();
        }
        if (const auto* const word = root.find("draw")) {
            const auto found = harness::find_draw(*word);
            if (!found)
                return refuse(root, fmt::format("draw=\"{}\": expected uniform, extremes, all-low, "
                                                "all-high, typical or adversarial",
                                                *word));
            plan_.draw = *found;
        }
        plan_.has_runs_or_seeds = !root.attributes.empty();
        return boost::outcome_v2::success();
    }

    Result<void> axis(const XmlElement& element) {
        if (auto checked = models::check_no_children(source_, element); !checked) return checked;
        if (element.name == "kernel") return boost::outcome_v2::success();
        if (element.name == "machine") {
            if (auto checked = models::check_attributes(source_, element, {"name"},
                                                        {"multiprocessors", "assume"});
                !checked)
                return checked;
            auto read = machine(element, "name", "all");
            if (!read) return read.as_failure();
            machines_.push_back(std::move(read).value());
        } else if (element.name == "launch") {
            if (auto checked = models::check_attributes(source_, element, {"text"}); !checked)
                return checked;
            launches_.push_back(*element.find("text"));
        } else if (element.name == "policy") {
            if (auto checked = models::check_attributes(source_, element, {"name"}); !checked)
                return checked;
            policies_.push_back(*element.find("name"));
        } else if (element.name == "seed") {
            if (auto checked = models::check_attributes(source_, element, {"first"}); !checked)
                return checked;
            const auto first = models::integer_attribute(source_, element, "first", 0,
                                                         std::numeric_limits<std::int64_t>::max());
            if (!first) return first.as_failure();
            seeds_.push_back(static_cast<std::uint64_t>(first.value()));
            plan_.has_runs_or_seeds = true;
        } else
            return refuse(element, "<" + element.name +
                                       ">: expected <kernel>, <machine>, <launch>, <policy> or "
                                       "<seed>");
        return boost::outcome_v2::success();
    }

    Result<PlannedMachine> machine(const XmlElement& element, const char* name_attribute,
                                   std::string multiprocessors) const {
        PlannedMachine read{{}, std::move(multiprocessors)};
        std::string& name = read.machine.architecture;
        name = *element.find(name_attribute);
        // The name may be that of a description file in the folder of the plan.
        if (std::filesystem::exists(in_folder(name))) name = in_folder(name);
        read.machine.assumed = words_of(element.find("assume"));
        if (const auto* const count = element.find("multiprocessors")) {
            if (const auto why = refusal_of_multiprocessors(*count); !why.empty())
                return refuse(element, "multiprocessors=\"" + *count + "\": " + why);
            read.multiprocessors = *count;
        }
        return read;
    }

    /// What the kernel itself states, without what axes give it.
    Result<PlannedKernel> stated_kernel(const XmlElement& element) const {
        if (auto checked = models::check_attributes(
                source_, element, {"listing"},
                {"architecture", "launch", "name", "policy", "multiprocessors", "flow-facts",
                 "source", "campaign", "cubin", "trace", "clock", "assume", "arguments"});
            !checked)
            return checked.as_failure();
        PlannedKernel kernel;
        for (const auto& [attribute, member] :
             {std::pair{"listing", &PlannedKernel::listing},
              std::pair{"flow-facts", &PlannedKernel::flow_facts},
              std::pair{"source", &PlannedKernel::source},
              std::pair{"campaign", &PlannedKernel::campaign},
              std::pair{"cubin", &PlannedKernel::cubin}, std::pair{"trace", &PlannedKernel::trace}})
            if (const auto* const file = element.find(attribute)) kernel.*member = in_folder(*file);
        if (const auto* const name = element.find("name")) kernel.name = *name;
        kernel.arguments = words_of(element.find("arguments"));
        if (const auto* const clock = element.find("clock")) {
            if (const auto read = models::parse_clock(*clock); !read)
                return refuse(element, "clock: " + read.error().what);
            kernel.clock = *clock;
        }
        return kernel;
    }

    /// The machines on which the kernel runs.
    Result<std::vector<PlannedMachine>> machines_of(const XmlElement& element) const {
        if (element.find("architecture") != nullptr) {
            auto own = machine(element, "architecture", "all");
            if (!own) return own.as_failure();
            return std::vector{std::move(own).value()};
        }
        if (element.find("assume") != nullptr || element.find("multiprocessors") != nullptr)
            return refuse(element, "'assume' and 'multiprocessors' are of 'architecture', which is "
                                   "missing; expected them on <machine>");
        if (machines_.empty())
            return refuse(element, "<kernel> without 'architecture'; expected it, or "
                                   "<machine name=\"turing-t4\"/> in the plan");
        return machines_;
    }

    static std::vector<std::string> own_or_axis(const std::string* own,
                                                const std::vector<std::string>& axis) {
        return own != nullptr ? std::vector{*own} : axis;
    }

    Result<void> kernel(const XmlElement& element) {
        const auto stated = stated_kernel(element);
        if (!stated) return stated.as_failure();
        const auto machines = machines_of(element);
        if (!machines) return machines.as_failure();
        const auto launches = own_or_axis(element.find("launch"), launches_);
        if (launches.empty())
            return refuse(element, "<kernel> without 'launch'; expected it, or "
                                   "<launch text=\"4x128\"/> in the plan");
        auto policies = own_or_axis(element.find("policy"), policies_);
        if (policies.empty()) policies.emplace_back("unknown");
        auto seeds = seeds_;
        if (seeds.empty()) seeds.push_back(1);
        for (const auto& machine : machines.value())
            for (const auto& launch : launches)
                for (const auto& policy : policies)
                    for (const std::uint64_t seed : seeds) {
                        if (plan_.kernels.size() == most_points)
                            return refuse(element, "a plan of more than 100,000 points");
                        PlannedKernel point = stated.value();
                        point.machine = machine.machine;
                        point.multiprocessors = machine.multiprocessors;
                        point.launch.launch = launch;
                        point.policy = policy;
                        point.seed = seed;
                        plan_.kernels.push_back(std::move(point));
                    }
        return boost::outcome_v2::success();
    }

    static constexpr std::size_t most_points = 100'000;

    assembly::SourceText source_;
    std::filesystem::path folder_;
    KernelPlan plan_;
    std::vector<PlannedMachine> machines_;
    std::vector<std::string> launches_;
    std::vector<std::string> policies_;
    std::vector<std::uint64_t> seeds_;
};

} // namespace

Result<KernelPlan> read_plan(const std::string& path) {
    auto source = assembly::read_source(path);
    if (!source) return source.as_failure();
    return PlanReader{std::move(source).value(), path}.read();
}

std::string point_name(const PlannedKernel& point) {
    return fmt::format("{}{}{} on {}, {}, {}",
                       std::filesystem::path{point.listing}.lexically_normal().string(),
                       point.name.empty() ? "" : ":", point.name, point.machine.architecture,
                       point.launch.launch, point.policy);
}

} // namespace warpbound::cli
