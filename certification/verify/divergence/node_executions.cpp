#include "certification/verify/divergence/node_executions.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

/// Per block: all lanes that have not ended execute it at the same time.
std::vector<bool> executed_by_all(const KernelCase& kernel) {
    std::vector<bool> by_all(kernel.blocks.size(), true);
    for (const SerializedBlockRow& node : kernel.serialized)
        for (const std::size_t stack : node.stacks)
            if (!kernel.stacks[stack].is_converged()) by_all[node.of] = false;
    return by_all;
}

/// The loops around a block, from inner to outer ones.
std::vector<const CheckedLoop*> loops_around(const ControlFlow& flow, std::size_t block) {
    std::vector<const CheckedLoop*> loops;
    for (const CheckedLoop& loop : flow.loops)
        if (loop.blocks.count(block) != 0) loops.push_back(&loop);
    return loops;
}

/// Nodes by the block that they are copies of, and the ways between them.
class NodePaths {
public:
    NodePaths(const KernelCase& kernel, const ControlFlow& of_code, const ControlFlow& of_warp)
        : kernel_{kernel}, code_{of_code}, warp_{of_warp}, before_{predecessors_of(of_warp)},
          by_all_{executed_by_all(kernel)}, in_order_(of_warp.order.size()) {
        for (std::size_t node = 0; node < in_order_.size(); ++node)
            in_order_[warp_.order[node]] = node;
    }

    [[nodiscard]] std::optional<std::int64_t> most(std::size_t block) const {
        const auto around = loops_around(code_, block);
        for (const CheckedLoop* loop : around)
            if (!by_all_[loop->header]) return std::nullopt;
        const auto header = around.empty() ? std::nullopt : std::optional{around.front()->header};
        if (header == block) return 1; // Each time begins an iteration.
        // Whoever comes to a node again has passed the header of its innermost loop of nodes.
        for (std::size_t node = 0; node < kernel_.serialized.size(); ++node) {
            if (kernel_.serialized[node].of != block) continue;
            const auto repeating = loops_around(warp_, node);
            if (!repeating.empty() && kernel_.serialized[repeating.front()->header].of != header)
                return std::nullopt;
        }
        return most_before_next(block, header);
    }

private:
    /// Nodes of the block on a way that comes to no node twice, since the last one of the header.
    [[nodiscard]] std::int64_t most_before_next(std::size_t block,
                                                std::optional<std::size_t> header) const {
        std::vector<std::int64_t> passed(in_order_.size(), 0);
        std::int64_t most = 0;
        for (const std::size_t node : in_order_) {
            for (const std::size_t from : before_[node])
                if (warp_.order[from] < warp_.order[node])
                    passed[node] = std::max(passed[node], passed[from]);
            if (kernel_.serialized[node].of == header) passed[node] = 0;
            if (kernel_.serialized[node].of == block) ++passed[node];
            most = std::max(most, passed[node]);
        }
        return most;
    }

    const KernelCase& kernel_;
    const ControlFlow& code_;
    const ControlFlow& warp_;
    std::vector<std::vector<std::size_t>> before_;
    std::vector<bool> by_all_;
    std::vector<std::size_t> in_order_; ///< Nodes, in reverse postorder.
};

} // namespace

std::vector<std::optional<std::int64_t>> most_per_iteration(const KernelCase& kernel,
                                                            const ControlFlow& of_code,
                                                            const ControlFlow& of_warp) {
    const std::size_t instructions = kernel.function->instructions.size();
    if (kernel.serialized.empty())
        return std::vector<std::optional<std::int64_t>>(instructions, std::int64_t{1});
    const NodePaths paths{kernel, of_code, of_warp};
    std::vector<std::optional<std::int64_t>> found(instructions, 0);
    // Of called code each call has a block.
    for (std::size_t block = 0; block < of_code.blocks.size(); ++block) {
        const auto most = paths.most(block);
        for (std::size_t i = of_code.first[block]; i <= of_code.last[block]; ++i)
            found[i] = most && found[i] ? std::optional{std::max(*most, *found[i])} : std::nullopt;
    }
    return found;
}

std::set<assembly::Register> written_by_some_lanes(const KernelCase& kernel,
                                                   const ControlFlow& of_code) {
    std::set<assembly::Register> written;
    const std::vector<bool> by_all = executed_by_all(kernel);
    for (std::size_t block = 0; block < of_code.blocks.size(); ++block)
        for (std::size_t i = of_code.first[block]; i <= of_code.last[block] && !by_all[block]; ++i)
            for (const assembly::Register reg : kernel.function->instructions[i].effects.writes)
                if (reg.file == assembly::RegisterFile::Uniform ||
                    reg.file == assembly::RegisterFile::UniformPredicate)
                    written.insert(reg);
    return written;
}

} // namespace warpbound::certification::verify
