#include "certification/verify/divergence/pending_groups.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using Loops = std::vector<const CheckedLoop*>;

bool is_around(const CheckedLoop& loop, std::size_t block) {
    return loop.blocks.count(block) != 0;
}

class GroupsOfBranch {
public:
    GroupsOfBranch(const ControlFlow& of_code, const NodeStates& lanes,
                   const SimtStack::Group& group)
        : code_{of_code}, branch_{group.first}, resume_{group.second} {
        if (const auto known = lanes.meanwhile.find(group); known != lanes.meanwhile.end())
            meanwhile_ = known->second;
        if (const auto known = lanes.passed_over.find(group); known != lanes.passed_over.end())
            waited_ = known->second;
        for (const CheckedLoop& loop : code_.loops)
            if (meanwhile_.count(loop.header) != 0) iterated_.push_back(&loop);
    }

    [[nodiscard]] std::optional<std::int64_t> by_loops() const {
        if (meanwhile_.count(branch_) == 0) return 1;
        const Loops of_branch = around({branch_});
        if (reaches_over_headers_only(of_branch)) return product_of(of_branch);
        std::set<std::size_t> all = waited_;
        all.insert(branch_);
        const Loops of_all = around(all);
        if (is_one_nest(of_all) && reaches_over_headers_only(of_all)) return product_of(of_all);
        return std::nullopt;
    }

private:
    [[nodiscard]] Loops around(const std::set<std::size_t>& blocks) const {
        Loops loops;
        for (const CheckedLoop* loop : iterated_)
            if (std::any_of(blocks.begin(), blocks.end(),
                            [&](std::size_t block) { return is_around(*loop, block); }))
                loops.push_back(loop);
        return loops;
    }

    /// Of two loops one is inside the other, and no other one is around any of them.
    [[nodiscard]] bool is_one_nest(const Loops& counted) const {
        return std::all_of(counted.begin(), counted.end(), [&](const CheckedLoop* one) {
            const bool is_nested =
                std::all_of(counted.begin(), counted.end(), [&](const CheckedLoop* other) {
                    return is_around(*one, other->header) || is_around(*other, one->header);
                });
            return is_nested &&
                   std::all_of(iterated_.begin(), iterated_.end(), [&](const CheckedLoop* other) {
                       return !is_around(*other, one->header) ||
                              std::find(counted.begin(), counted.end(), other) != counted.end();
                   });
        });
    }

    /// Lanes that go on above a group come to its branch over a header of a counted loop that they
    /// are in.
    [[nodiscard]] bool reaches_over_headers_only(const Loops& counted) const {
        return std::none_of(waited_.begin(), waited_.end(), [&](std::size_t from) {
            std::set<std::size_t> headers;
            for (const CheckedLoop* loop : counted)
                if (is_around(*loop, from)) headers.insert(loop->header);
            return reaches_branch(from, headers);
        });
    }

    [[nodiscard]] bool reaches_branch(std::size_t from,
                                      const std::set<std::size_t>& headers) const {
        if (headers.count(from) != 0) return false;
        std::set<std::size_t> seen{from};
        std::vector<std::size_t> work{from};
        while (!work.empty()) {
            const std::size_t block = work.back();
            work.pop_back();
            if (block == branch_) return true;
            for (const std::size_t to : code_.blocks[block].successors)
                if (meanwhile_.count(to) != 0 && headers.count(to) == 0 && seen.insert(to).second)
                    work.push_back(to);
        }
        return false;
    }

    [[nodiscard]] std::int64_t product_of(const Loops& counted) const {
        std::int64_t most = 1;
        for (const CheckedLoop* loop : counted)
            most = models::times(most, iterates_next(*loop)
                                           ? std::max<std::int64_t>(loop->max_back_edges, 1)
                                           : loop->max_back_edges + 1);
        return most;
    }

    /// Lanes that do not diverge as such a group take the back edge of the loop next, and none that
    /// waited go on above it.
    [[nodiscard]] bool iterates_next(const CheckedLoop& loop) const {
        if (resume_ == loop.header || !waited_.empty() || !is_around(loop, branch_)) return false;
        std::set<std::size_t> next;
        for (const std::size_t to : code_.blocks[branch_].successors)
            if (!code_.never[to]) next.insert(to);
        return next == std::set{resume_, loop.header};
    }

    const ControlFlow& code_;
    std::size_t branch_;
    std::size_t resume_;
    std::set<std::size_t> meanwhile_; ///< Blocks that some lanes execute while such a group waits.
    std::set<std::size_t> waited_;    ///< Where lanes go on above such a group that waited.
    Loops iterated_;                  ///< Whose header is one of `meanwhile_`.
};

} // namespace

std::optional<std::int64_t> groups_at_once(const ControlFlow& of_code, const NodeStates& lanes,
                                           const SimtStack::Group& group) {
    auto most = GroupsOfBranch{of_code, lanes, group}.by_loops();
    const auto known = lanes.at_once.find(group);
    if (known != lanes.at_once.end() && known->second != NodeStates::many) {
        const auto in_a_stack = static_cast<std::int64_t>(known->second);
        most = most ? std::min(*most, in_a_stack) : in_a_stack;
    }
    return most;
}

} // namespace warpbound::certification::verify
