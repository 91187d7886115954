#include "harness/profiles/read_profile.hpp"

#include "harness/profiles/readers.hpp"

#include <fmt/format.h>

#include <string_view>

namespace warpbound::harness::profiles {

namespace {

/// The first bytes of the file; empty: it cannot be read.
std::string beginning_of(const trace::TraceBytes& bytes) {
    constexpr std::size_t enough = 65536;
    std::string text(enough, '\0');
    const auto read = bytes.read(0, text);
    text.resize(read ? read.value() : 0);
    return text;
}

} // namespace

std::optional<ProfileFormat> format_of(const std::string& path) {
    const auto bytes = trace::TraceBytes::open(path);
    if (!bytes) return std::nullopt;
    const std::string text = beginning_of(bytes.value());
    const auto holds = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    // `Source:` NVIDIA, Nsight Compute Customization Guide, report file format.
    constexpr std::string_view report_magic{"NVR\0", 4};
    if (text.rfind(report_magic, 0) == 0) return ProfileFormat::NsightComputeReport;
    if (text.rfind("SQLite format 3", 0) == 0) return ProfileFormat::NsightSystems;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return std::nullopt;
    if (text[first] == '[') {
        if (holds("\"computeMs\"")) return ProfileFormat::TensorRtTimes;
        if (holds("\"averageMs\"")) return ProfileFormat::TensorRtProfile;
        return std::nullopt;
    }
    if (text[first] == '{')
        return holds("nvbench") ? std::optional{ProfileFormat::NvBench} : std::nullopt;
    const auto heading = find_heading(bytes.value());
    return heading ? std::optional{heading->format} : std::nullopt;
}

Result<Profile> read_profile(const std::string& path, ProfileFormat format) {
    auto profile = [&]() -> Result<Profile> {
        switch (format) {
        case ProfileFormat::NsightSystems:
            return read_nsight_systems(path);
        case ProfileFormat::GpuTrace:
            return read_gpu_trace(path);
        case ProfileFormat::NsightCompute:
            return read_nsight_compute(path);
        case ProfileFormat::TensorRtTimes:
            return read_tensorrt_times(path);
        case ProfileFormat::NvBench:
            return read_nvbench(path);
        case ProfileFormat::NsightComputeReport:
            return read_nsight_compute_report(path);
        case ProfileFormat::TensorRtProfile:
            break;
        }
        return Failure{"holds averages of layers, no time of a single run; `trtexec --exportTimes` "
                       "writes those",
                       path};
    }();
    if (profile && profile.value().series.empty())
        return Failure{profile.value().left_out.empty()
                           ? std::string{"holds no time of a run"}
                           : fmt::format("holds no time of a run: {}", profile.value().left_out[0]),
                       path};
    return profile;
}

} // namespace warpbound::harness::profiles
