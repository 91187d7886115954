#include "harness/execution/executed_launch.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::execution {

ExecutedLaunch::ExecutedLaunch(PreparedLaunch launch, std::size_t kept_limit)
    : launch_{std::move(launch)}, store_{kept_limit},
      issued_(launch_.code().function->instructions.size()) {}

Result<void> ExecutedLaunch::run_all(std::int64_t blocks, const Progress& progress) {
    const ExecutedCode& code = launch_.code();
    for (std::int64_t number = 0; number < blocks; ++number) {
        if (progress && !progress(number)) return Failure{"stopped while the launch was executed"};
        auto recorded = launch_.run(number);
        if (!recorded) return recorded.as_failure();
        instructions_ += recorded.value().issues();
        if (code.listener != nullptr)
            if (auto ended = code.listener->block_ended(launch_.index_of(number)); !ended)
                return ended;
        if (auto stored = store_.add(std::move(recorded).value()); !stored)
            return stored.as_failure();
    }
    const auto& executed = launch_.coverage().blocks;
    for (std::size_t block = 0; block < executed.size(); ++block)
        if (executed[block] > 0)
            std::fill(
                issued_.begin() + static_cast<std::ptrdiff_t>(code.graph->blocks[block].first),
                issued_.begin() + static_cast<std::ptrdiff_t>(code.graph->blocks[block].last) + 1,
                true);
    return boost::outcome_v2::success();
}

Result<std::unique_ptr<ExecutedLaunch>>
ExecutedLaunch::run(LaunchInputs inputs, std::size_t kept_limit, const Progress& progress) {
    const models::Launch launch = inputs.launch;
    auto prepared = PreparedLaunch::make(std::move(inputs));
    if (!prepared) return prepared.as_failure();
    std::unique_ptr<ExecutedLaunch> executed{
        new ExecutedLaunch{std::move(prepared).value(), kept_limit}};
    const ExecutedCode& code = executed->launch_.code();
    if (code.listener != nullptr)
        if (auto begun = code.listener->begun(*code.function, launch); !begun)
            return begun.as_failure();
    if (auto done = executed->run_all(launch.blocks, progress); !done) return done.as_failure();
    return executed;
}

} // namespace warpbound::harness::execution
