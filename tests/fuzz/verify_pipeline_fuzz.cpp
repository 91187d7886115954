#include "tests/support/pipeline_cases.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Claims that are accepted are not below the bounds of the analysis.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const std::string defect = warpbound::tests::defect_of_pipeline_bundle(text);
    if (defect.empty()) return 0;
    std::fputs(defect.c_str(), stderr);
    std::abort();
}
