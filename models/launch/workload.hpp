#pragma once
/// \file
/// Operations that a host issues to a GPU: kernel launches and copies, in streams (C32 of
/// docs/reference/timing-contract.md).

#include "assembly/support/source_text.hpp"
#include "models/launch/launch.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

enum class HostOperationKind { Launch, CopyToDevice, CopyToHost };
/// "launch", "host-to-device", "device-to-host".
std::string_view to_string(HostOperationKind kind);

/// Operations stand in the order in which the host issues them.
struct HostOperation {
    HostOperationKind kind = HostOperationKind::Launch;
    std::string name{};                  ///< For reports.
    std::optional<std::size_t> stream{}; ///< None: the NULL stream.
    std::size_t kernel = 0;              ///< Of a launch: its number among the workload's kernels.
    std::int64_t bytes = 0;              ///< Of a copy.
    /// Earliest issue. `Unit:` core cycles from the start of the workload.
    std::int64_t at = 0;

    friend bool operator==(const HostOperation&, const HostOperation&) = default;
};

/// Largest size of one copy. `Unit:` bytes.
inline constexpr std::int64_t most_copy_bytes = std::int64_t{1} << 50U;

/// Source of a kernel of a workload. File names are those in the workload, relative to it.
struct KernelSource {
    std::string file;
    std::string kernel;     ///< Empty: the only one of the file.
    std::string flow_facts; ///< Empty: none.
    Launch launch;

    friend bool operator==(const KernelSource&, const KernelSource&) = default;
};

/// A workload as a file states it.
struct WorkloadFile {
    std::string name;   ///< Of the file.
    std::string digest; ///< Of the file.
    std::vector<std::string> streams;
    std::vector<KernelSource> kernels; ///< Without duplicates.
    std::vector<HostOperation> operations;
};

/// Reads `<workload>` with `<launch file= [kernel=] [flow-facts=] [grid=]>` and `<copy direction=
/// bytes=>`, both with optional `name`, `stream` and `at`. Refuses unknown elements and attributes,
/// a workload without a launch, two operations of one name, counts out of range and what
/// `parse_launch` refuses, each with its line.
Result<WorkloadFile> read_workload(const assembly::SourceText& source);

} // namespace warpbound::models
