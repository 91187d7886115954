#pragma once
/// \file
/// A tiny launch with everything that searches, bounds and runs of it need.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/exact_launch.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpbound::tests {

inline void set(models::ValueGroup& group, std::string_view name, models::Interval interval) {
    for (auto& each : group.values)
        if (each.name == name) {
            each.interval = interval;
            return;
        }
    group.values.push_back(
        {std::string{name}, "cycles", interval, "test", models::Grade::Vendor, ""});
}
inline void set(models::ValueGroup& group, std::string_view name, std::int64_t value) {
    set(group, name, models::Interval{value, value, value});
}

/// A tiny launch with everything that searches, bounds and runs of it need.
struct TinyLaunch {
    models::Architecture machine;
    std::string text;
    models::FlowFacts facts;
    models::Launch launch;
    std::int64_t multiprocessors = 1;
    models::WarpPolicy policy{models::PolicyKind::Unknown};
    assembly::Program program{};
    assembly::ControlFlowGraph graph{};

    [[nodiscard]] const assembly::Function& function() const { return program.functions.front(); }

    /// Throws `std::runtime_error` when the text is no listing.
    void read() {
        auto listing = assembly::read_program({"exact", text});
        if (!listing) throw std::runtime_error{to_string(listing.error())};
        program = std::move(listing).value();
        auto flow = assembly::build_control_flow_graph(function());
        if (!flow) throw std::runtime_error{to_string(flow.error())};
        graph = std::move(flow).value();
    }
    [[nodiscard]] std::optional<ExactTimes> exact(std::size_t most_states) const {
        return exact_times(function(), machine, facts, launch, most_states,
                           static_cast<std::size_t>(multiprocessors),
                           is_unknown() ? nullptr : &policy);
    }
    [[nodiscard]] bool is_unknown() const { return policy.kind == models::PolicyKind::Unknown; }
    [[nodiscard]] models::Bounds<models::Cycles> bounds() const { return envelope().bounds(); }
    /// `certificates`: where to keep what the bounds rest on, if they are to be those of evidence.
    /// Throws `std::runtime_error` when the analyzer refuses.
    [[nodiscard]] analyzer::Envelope
    envelope(analyzer::CertificateStore* certificates = nullptr) const {
        analyzer::Request request;
        request.function = &function();
        request.graph = &graph;
        request.architecture = &machine;
        request.facts = &facts;
        request.launch = launch;
        request.multiprocessors = multiprocessors;
        request.policy = policy;
        request.certificates = certificates;
        const auto analysis = analyzer::analyze(request);
        if (!analysis) throw std::runtime_error{to_string(analysis.error())};
        return analysis.value().execution_time;
    }
};

} // namespace warpbound::tests
