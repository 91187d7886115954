#pragma once
/// \file
/// Times of kernels and copies as profilers record them.

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness::profiles {

/// The runs of one kernel with one launch, of one copy of a size, or of one phase.
struct ProfiledSeries {
    std::string name;    ///< As the profiler shows it.
    std::string mangled; ///< The symbol of the kernel; empty: not recorded.
    std::string launch;  ///< As `models::parse_launch` reads it; empty: not recorded.
    std::string device;  ///< "NVIDIA GeForce RTX 2080 Ti"; empty: not recorded.
    /// In the order in which the runs started. `Unit:` ns, rounded to the nearest.
    std::vector<std::int64_t> times;
};

/// What a file holds.
struct Profile {
    std::string profiler;               ///< "Nsight Systems 2024.6.2"
    std::string conditions;             ///< What the profiler does to clock and caches, if known.
    std::vector<ProfiledSeries> series; ///< In the order of their first run.
    std::vector<std::string> left_out;  ///< What has no time of single runs, with the reason.
};

/// The files that are read.
enum class ProfileFormat {
    NsightSystems,       ///< `nsys export --type sqlite`
    GpuTrace,            ///< `nsys stats --report cuda_gpu_trace --format csv`, or records of CUPTI
    NsightComputeReport, ///< `ncu --export`, version 7
    NsightCompute,       ///< `ncu --csv`, with `--page raw` or `--page details`
    TensorRtTimes,       ///< `trtexec --exportTimes`
    TensorRtProfile,     ///< `trtexec --exportProfile`: refused, since it has averages only
    NvBench,             ///< nvbench `--jsonbin`, with the files of times beside it
};

} // namespace warpbound::harness::profiles
