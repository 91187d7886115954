#pragma once
/// \file
/// Writes an executed launch as a SASS trace, in the format of Accel-Sim's NVBit tracer.

#include "harness/execution/block_run.hpp"
#include "harness/trace/sass_trace.hpp"
#include "models/launch/launch.hpp"

#include <functional>
#include <string_view>

namespace warpbound::harness::execution {

/// Receives the text piece by piece, in order, and says whether it could be written.
using TraceSink = std::function<Result<void>(std::string_view)>;

/// Memory holds the issues of one block.
class TraceWriter final : public IssueListener {
public:
    explicit TraceWriter(TraceSink sink) : sink_{std::move(sink)} {}

    Result<void> begun(const assembly::Function& function, const models::Launch& launch) override;
    void issued(const WarpIssue& issue) override;
    Result<void> block_ended(const Extents& index) override;

private:
    TraceSink sink_;
    const assembly::Function* function_ = nullptr;
    trace::SassTrace header_;
    trace::TracedBlock block_;
};

} // namespace warpbound::harness::execution
