#include "models/application/application_file.hpp"
#include "models/application/plan.hpp"

#include <cstdlib>

/// The plan of accepted input names only servers, times and ranks that exist.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    const auto read = models::application::read_application({.name = "fuzz", .text = text});
    if (!read) return 0;
    const auto plan = models::application::plan_of(read.value());
    if (!plan) return 0;
    for (const auto& operation : plan.value().operations)
        if (operation.server >= plan.value().servers.size() ||
            operation.time >= plan.value().times.size() ||
            operation.stream >= plan.value().ranks.at(operation.rank).streams ||
            operation.receiver >= plan.value().ranks.size())
            std::abort();
    return 0;
}
