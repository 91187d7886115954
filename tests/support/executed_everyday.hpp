#pragma once
/// \file
/// The kernels of examples/everyday with inputs, and what the host computes of them.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "harness/execution/executed_launch.hpp"
#include "models/launch/launch.hpp"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace warpbound::tests {

/// A listing, and the launch of its kernel with buffers as arguments.
struct DataLaunch {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::Launch launch;
    harness::execution::DeviceMemory memory;
    std::map<std::int64_t, std::vector<std::byte>> constants;

    [[nodiscard]] const assembly::Function& function() const { return program.functions.front(); }
    void set(std::int64_t offset, std::uint32_t word) {
        launch.arguments[offset] = models::ArgumentWord{word, 32};
    }
    /// A buffer with these elements, whose address is the argument at the offset.
    template <typename Element>
    void set(std::int64_t offset, const std::string& name, const std::vector<Element>& elements) {
        harness::execution::Buffer buffer;
        buffer.name = name;
        buffer.bytes.resize(elements.size() * sizeof(Element));
        std::memcpy(buffer.bytes.data(), elements.data(), buffer.bytes.size());
        const std::uint64_t base = memory.add(std::move(buffer));
        set(offset, static_cast<std::uint32_t>(base));
        set(offset + 4, static_cast<std::uint32_t>(base >> 32U));
    }
    /// Requires: function and graph stay where they are as long as the result lives.
    [[nodiscard]] Result<std::unique_ptr<harness::execution::ExecutedLaunch>>
    run(std::size_t kept_limit = harness::execution::ExecutedLaunch::default_kept_limit) const {
        return harness::execution::ExecutedLaunch::run(
            {&function(), &graph, launch, memory, constants}, kept_limit);
    }
};

/// The elements of a buffer after a launch.
template <typename Element>
std::vector<Element> elements_of(const harness::execution::DeviceMemory& memory,
                                 const std::string& name) {
    for (const auto& buffer : memory.buffers())
        if (buffer.name == name) {
            std::vector<Element> elements(buffer.bytes.size() / sizeof(Element));
            std::memcpy(elements.data(), buffer.bytes.data(), buffer.bytes.size());
            return elements;
        }
    return {};
}

/// A kernel of examples/everyday.
struct EverydayData {
    std::string kernel;
    std::string launch;     ///< As `parse_launch` reads it; without pointers.
    std::string flow_facts; ///< File; empty: none are needed.
    /// Adds buffers and arguments. Parameters begin at `base` in constant bank 0.
    std::function<void(DataLaunch&, std::int64_t base)> add_inputs;
    /// How the results differ from those of the host; empty: they do not.
    std::function<std::string(const harness::execution::DeviceMemory&)> difference;
};
std::vector<EverydayData> everyday_data();

/// The listing of the kernel for a target, such as "sm_75", with its inputs.
Result<std::unique_ptr<DataLaunch>> data_launch(const EverydayData& data,
                                                const std::string& target);

} // namespace warpbound::tests
