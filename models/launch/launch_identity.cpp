#include "models/launch/launch_identity.hpp"

#include "models/launch/warp_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbound::models {

namespace {

class Comparison {
public:
    /// A digest: its digits tell a reader nothing.
    void word(const char* what, const std::string& bound, const std::string& runs) {
        if (bound.empty() || runs.empty())
            result_.not_compared.emplace_back(what);
        else if (bound != runs)
            result_.differences.push_back(fmt::format("other {} than that of the bound", what));
    }

    void number(const char* what, const std::optional<std::int64_t>& bound,
                const std::optional<std::int64_t>& runs) {
        if (bound && runs && *bound != *runs) differs(what, *bound, *runs);
        if (bound.has_value() != runs.has_value()) result_.not_compared.emplace_back(what);
    }

    void launch(const Launch& bound, const Launch& runs) {
        if (bound.blocks != runs.blocks || bound.threads != runs.threads)
            return differs("launch", fmt::format("{}x{}", bound.blocks, bound.threads),
                           fmt::format("{}x{}", runs.blocks, runs.threads));
        number("registers", bound.registers, runs.registers);
        number("shared memory", bound.shared_memory, runs.shared_memory);
    }

    void shapes(const Launch& bound, const Launch& runs) {
        if (bound.threads == runs.threads &&
            block_shape_of(bound).threads != block_shape_of(runs).threads)
            differs("block", to_string(block_shape_of(bound)), to_string(block_shape_of(runs)));
        if (!bound.grid || bound.blocks != runs.blocks) return;
        if (!runs.grid)
            result_.not_compared.emplace_back("grid");
        else if (*bound.grid != *runs.grid)
            differs("grid", to_string(*bound.grid), to_string(*runs.grid));
    }

    void arguments(const ArgumentWords& bound, const ArgumentWords& runs) {
        for (const auto& [offset, word] : bound) {
            const auto name = fmt::format("argument {:#x}", offset);
            const auto found = runs.find(offset);
            if (found == runs.end()) {
                result_.not_compared.push_back(name);
                continue;
            }
            const unsigned bits = std::min(word.bits, found->second.bits);
            const std::uint32_t mask = bits >= 32 ? ~0U : (1U << bits) - 1;
            if (((word.value ^ found->second.value) & mask) != 0)
                differs(name.c_str(), to_string({{offset, word}}),
                        to_string({{offset, found->second}}));
            else if (bits < word.bits || (word.is_disjoint && !found->second.is_disjoint))
                result_.not_compared.push_back(name);
        }
    }

    void policy(const std::string& bound, const std::string& runs) {
        const auto of_bound = read_policy(bound);
        const auto of_runs = read_policy(runs);
        if (!of_bound || !of_runs) {
            result_.not_compared.emplace_back("policy");
            return;
        }
        if (of_bound.value() == of_runs.value()) return;
        const auto conserves = [](const WarpPolicy& policy) {
            return guarantee_of(policy) == PolicyGuarantee::WorkConserving;
        };
        if (!conserves(of_bound.value()) || !conserves(of_runs.value()))
            differs("policy", bound, runs);
    }

    LaunchComparison result() { return std::move(result_); }

    template <typename Value>
    void differs(const char* what, const Value& bound, const Value& runs) {
        result_.differences.push_back(
            fmt::format("{} {}, that of the bound is {}", what, runs, bound));
    }

private:
    LaunchComparison result_;
};

} // namespace

LaunchComparison compare(const LaunchIdentity& bound, const LaunchIdentity& runs) {
    Comparison comparison;
    comparison.word("code", bound.kernel_digest, runs.kernel_digest);
    if (!bound.kernel.empty() && !runs.kernel.empty() && bound.kernel != runs.kernel)
        comparison.differs("kernel", bound.kernel, runs.kernel);
    if (bound.launch && runs.launch) {
        comparison.launch(*bound.launch, *runs.launch);
        if (bound.says_arguments && runs.says_arguments) {
            comparison.shapes(*bound.launch, *runs.launch);
            comparison.arguments(bound.launch->arguments, runs.launch->arguments);
        }
    }
    LaunchComparison result = comparison.result();
    if (!bound.launch || !runs.launch)
        result.not_compared.emplace_back("launch");
    else if (!bound.says_arguments || !runs.says_arguments)
        result.not_compared.emplace_back("shapes and arguments");
    Comparison machine;
    machine.word("machine", bound.machine_digest, runs.machine_digest);
    machine.policy(bound.policy, runs.policy);
    machine.number("multiprocessors", bound.multiprocessors, runs.multiprocessors);
    LaunchComparison of_machine = machine.result();
    if (!bound.multiprocessors && !runs.multiprocessors)
        of_machine.not_compared.emplace_back("multiprocessors");
    result.differences.insert(result.differences.end(), of_machine.differences.begin(),
                              of_machine.differences.end());
    result.not_compared.insert(result.not_compared.end(), of_machine.not_compared.begin(),
                               of_machine.not_compared.end());
    return result;
}

} // namespace warpbound::models
