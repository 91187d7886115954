#include "tests/support/verified_sum.hpp"

#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/terms.hpp"

namespace warpbound::tests {

namespace {

namespace check = certification::verify;

std::vector<check::BlockRow> rows_of(const analyzer::Request& request) {
    std::vector<check::BlockRow> rows;
    const auto& code = request.function->instructions;
    for (const assembly::BasicBlock& block : request.graph->blocks) {
        rows.push_back({code[block.first].address, code[block.last].address, block.exits, {}});
        for (const std::size_t edge : block.out)
            rows.back().successors.push_back(request.graph->edges[edge].to);
    }
    return rows;
}

/// The code with targets and guards of its branches, which functions made for tests lack.
assembly::Function with_targets(const analyzer::Request& request) {
    assembly::Function function = *request.function;
    for (const assembly::BasicBlock& block : request.graph->blocks) {
        assembly::Instruction& last = function.instructions[block.last];
        if (last.control_flow != assembly::ControlFlow::Branch) continue;
        last.operands.clear();
        last.guard = assembly::Guard{};
        if (block.out.size() > 1) {
            last.guard->predicate = {};
            last.guard->predicate.file = assembly::RegisterFile::Predicate;
            last.guard->predicate.index = 0;
        }
        for (const std::size_t edge : block.out) {
            const assembly::BasicBlock& to = request.graph->blocks[request.graph->edges[edge].to];
            if (to.first != block.last + 1 || block.out.size() == 1)
                last.operands.emplace_back(
                    assembly::TargetOperand{"", function.instructions[to.first].address});
        }
    }
    return function;
}

std::optional<check::QueueingArguments> arguments_of(const analyzer::SideResult& side) {
    using Rows = check::QueueingArguments::Rows;
    if (!side.queueing) return std::nullopt;
    const Rows rows =
        side.queueing->rows == analyzer::RowDelay::WholeTransfers     ? Rows::WholeTransfers
        : side.queueing->rows == analyzer::RowDelay::PerWaitingAccess ? Rows::PerWaitingAccess
                                                                      : Rows::OncePerLaunch;
    return check::QueueingArguments{.hits = side.queueing->hits,
                                    .ports = side.queueing->ports,
                                    .rows = rows,
                                    .addresses = side.queueing->addresses};
}

check::ClaimRow claim_of(const analyzer::SideResult& side, bool upper) {
    check::ClaimRow claim;
    claim.id = upper ? "C1" : "C2";
    claim.quantity = "execution-time";
    claim.upper = upper;
    claim.value = side.proved.count();
    claim.queueing = arguments_of(side);
    claim.by_addresses = side.by_addresses;
    for (const analyzer::BoundTerm& term : side.terms)
        claim.terms.push_back({term.count, term.cycles, term.certificate});
    if (side.terms.empty())
        claim.terms.push_back(
            {1, claim.value, upper ? "execution-time-upper" : "execution-time-lower"});
    return claim;
}

/// Whether it rests on the port of a unit: made-up branches have no guard there, and one here.
bool is_by_port(const check::ClaimRow& claim) {
    return claim.terms.front().certificate.starts_with("execution-time-lower-port-");
}

} // namespace

std::string rejection_of_sum(const analyzer::Request& request, const analyzer::Analysis& analysis,
                             const analyzer::CertificateStore& certificates) {
    const assembly::Function function = with_targets(request);
    check::KernelCase kernel;
    kernel.id = "K1";
    kernel.function = &function;
    kernel.architecture = *request.architecture;
    kernel.facts = *request.facts;
    kernel.launch = request.launch;
    kernel.policy = request.policy;
    kernel.multiprocessors = request.multiprocessors;
    kernel.blocks = rows_of(request);
    for (const auto& certificate : certificates.certificates) {
        check::Certificate row;
        row.id = certificate.id;
        row.upper = certificate.side == analyzer::Side::Upper;
        row.bound = certificate.bound;
        kernel.certificates.push_back(std::move(row));
    }
    try {
        const check::SideFlows flows = check::check_flows(kernel);
        const auto& sides = analysis.execution_time;
        for (const auto& claim : {claim_of(sides.lower, false), claim_of(sides.upper, true)})
            if (!is_by_port(claim))
                check::check_terms(check::demand_of(kernel, flows, claim), claim);
    } catch (const check::Finding& finding) {
        return finding.what();
    }
    return {};
}

} // namespace warpbound::tests
