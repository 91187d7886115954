#include "models/pipeline/pipeline_file.hpp"

#include <cstdlib>

/// Accepted input names only servers and earlier stages that exist.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::read_pipelines({.name = "fuzz", .text = text});
    if (!read) return 0;
    for (const auto& pipeline : read.value().pipelines)
        for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
            if (pipeline.stages[i].server.value_or(0) >= read.value().servers.size()) std::abort();
            for (const std::size_t before : pipeline.stages[i].after)
                if (before >= i) std::abort();
        }
    return 0;
}
