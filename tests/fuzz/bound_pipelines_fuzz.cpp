#include "tests/support/pipeline_cases.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// A description with bounds has evidence that is accepted, and simulated latencies inside.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const std::string defect = warpbound::tests::defect_of_pipelines(text);
    if (defect.empty()) return 0;
    std::fputs(defect.c_str(), stderr);
    std::abort();
}
