#pragma once
/// \file
/// One reader for each format. Internal to this folder: `read_profile` chooses.

#include "assembly/support/result.hpp"
#include "harness/profiles/profile.hpp"
#include "harness/trace/trace_bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness::profiles {

/// `Source:` the tables and columns of the SQLite files that Nsight Systems exports (Nsight Systems
/// User Guide, "SQLite Schema Reference"): CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
/// StringIds, TARGET_INFO_GPU, META_DATA_EXPORT.
Result<Profile> read_nsight_systems(const std::string& path);

/// The line of a CSV file that names the columns of a format. Lines of messages may stand before
/// it.
struct CsvHeading {
    ProfileFormat format = ProfileFormat::GpuTrace;
    std::int64_t line = 0;
};
/// None within the first thousand lines: it is none of these files.
std::optional<CsvHeading> find_heading(const trace::TraceBytes& bytes);

/// Columns by name: `Start (ns)`, `Duration (ns)`, `GrdX` .. `BlkZ`, `Device`, `Name` of `nsys
/// stats`, or `start`, `end`, `gridX` .. `blockZ`, `deviceId`, `name` as CUPTI names the fields of
/// an activity record. Other columns are not read.
Result<Profile> read_gpu_trace(const std::string& path);

/// The metric `gpu__time_duration.sum`, or `Duration` of the page of details. Lines before the
/// heading and lines that begin with == are the profiler's messages.
/// `Source:` Nsight Compute CLI, "Page: raw" and "CSV output".
Result<Profile> read_nsight_compute(const std::string& path);

/// The metric that is the time of a kernel.
inline constexpr std::string_view duration_metric = "gpu__time_duration.sum";

/// What Nsight Compute does to a card, as far as it is known.
inline constexpr const char* nsight_compute_conditions =
    "clock held at its base and caches flushed before each run, unless "
    "--clock-control none and --cache-control none were given";

/// Name, launch and `gpu__time_duration.sum` of each kernel, the name of the device where it was
/// recorded; kernels without that metric are left out. Refuses other versions than 7 and damage,
/// with the position in bytes.
/// `Source:` NVIDIA, Nsight Compute Customization Guide, "Report File Format": magic number, sized
/// entries; Extra-P (ncu-report.ksy, ProfilerReport_pb2.py): order of entries, numbers of fields.
Result<Profile> read_nsight_compute_report(const std::string& path);

/// Series of the phases of an inference: copy in, compute, copy out, latency.
/// `Source:` TensorRT samples, sampleReporting.cpp: names of the fields since TensorRT 7.
Result<Profile> read_tensorrt_times(const std::string& path);

/// Times from the files that `nv/json/bin:nv/cold/sample_times` names: 32-bit floating point,
/// little endian, in s. Refuses a name that leads out of the folder of the file.
Result<Profile> read_nvbench(const std::string& path);

} // namespace warpbound::harness::profiles
