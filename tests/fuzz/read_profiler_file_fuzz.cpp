/// \file
/// Reads arbitrary bytes as the file of a profiler, in every format.
#include "harness/profiles/read_profile.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using warpbound::harness::profiles::ProfileFormat;
    const std::string path = "/tmp/read_profiler_file_fuzz." + std::to_string(getpid());
    std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(data),
                                                static_cast<std::streamsize>(size));
    static_cast<void>(warpbound::harness::profiles::format_of(path));
    for (const auto format : {ProfileFormat::NsightSystems, ProfileFormat::GpuTrace,
                              ProfileFormat::NsightCompute, ProfileFormat::TensorRtTimes,
                              ProfileFormat::NvBench, ProfileFormat::NsightComputeReport}) {
        const auto profile = warpbound::harness::profiles::read_profile(path, format);
        if (!profile) continue;
        for (const auto& series : profile.value().series)
            for (const std::int64_t time : series.times)
                if (time < 0) std::abort();
    }
    return 0;
}
