#include "certification/verify/certificate_json.hpp"

#include "certification/verify/bundle_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

using nlohmann::json;

namespace {

void read_witness(Certificate& certificate, const json& witness, std::size_t blocks) {
    certificate.witness_cost = whole_number(witness.at("cost"));
    for (const auto& row : witness.at("counts"))
        certificate.counts.emplace_back(index_of(row.at(0)), whole_number(row.at(1)));
    for (const auto& symbols : witness.at("rules")) {
        std::vector<std::int64_t> rule;
        for (const auto& symbol : symbols) {
            rule.push_back(whole_number(symbol));
            if (rule.back() >= static_cast<std::int64_t>(blocks) ||
                (rule.back() < 0 &&
                 static_cast<std::size_t>(-1 - rule.back()) >= certificate.witness.size()))
                incomplete(certificate.id +
                           ": the witness names a block or rule that does not exist");
        }
        certificate.witness.push_back(std::move(rule));
    }
}

PairStatesRow pair_states_of(const json& stated, std::size_t blocks) {
    PairStatesRow pairs;
    for (const auto& row : stated.at("events")) {
        auto& [from, block] = pairs.events.emplace_back();
        if (!row.at(0).is_null()) from = whole_number(row.at(0));
        block = whole_number(row.at(1));
    }
    for (const auto& row : stated.at("states")) {
        PairStateRow state{index_of(row.at(0)), {}, {}};
        for (const auto& event : row.at(1))
            state.memory.push_back(index_of(event));
        for (const auto& next : row.at(2))
            state.successors.push_back(index_of(next));
        if (state.block >= blocks) incomplete("a state of a block that does not exist");
        pairs.states.push_back(std::move(state));
    }
    for (const PairStateRow& state : pairs.states) {
        for (const std::size_t event : state.memory)
            if (event >= pairs.events.size())
                incomplete("a state remembers an event that does not exist");
        for (const std::size_t next : state.successors)
            if (next >= pairs.states.size()) incomplete("a state leads to one that does not exist");
    }
    for (const auto& fact : stated.at("exclusives"))
        pairs.exclusives.push_back(index_of(fact));
    for (const auto& fact : stated.at("constraints"))
        pairs.constraints.push_back(index_of(fact));
    return pairs;
}

} // namespace

std::vector<BlockRow> read_blocks(const json& table) {
    std::vector<BlockRow> blocks;
    for (const auto& row : table.at("blocks")) {
        BlockRow block;
        block.first = whole_number(row.at("first"));
        block.last = whole_number(row.at("last"));
        row.at("exits").get_to(block.exits);
        for (const auto& to : row.at("successors"))
            block.successors.push_back(index_of(to));
        blocks.push_back(std::move(block));
    }
    for (const auto& block : blocks)
        for (const std::size_t to : block.successors)
            if (to >= blocks.size()) incomplete("a block has a successor that does not exist");
    return blocks;
}

std::vector<SerializedBlockRow> read_copies(const json& table, std::size_t blocks) {
    std::vector<SerializedBlockRow> copies;
    for (const auto& row : table) {
        SerializedBlockRow copy{index_of(row.at("of")), {}, row.at("converged").get<bool>()};
        if (row.contains("repeated")) copy.repeated = whole_number(row.at("repeated"));
        if (copy.of >= blocks) incomplete("a copy of a block that does not exist");
        for (const auto& to : row.at("successors"))
            copy.successors.push_back(index_of(to));
        for (const auto& stack : row.at("stacks"))
            copy.stacks.push_back(index_of(stack));
        copies.push_back(std::move(copy));
    }
    for (const auto& copy : copies)
        for (const std::size_t to : copy.successors)
            if (to >= copies.size()) incomplete("a copy has a successor that does not exist");
    return copies;
}

Certificate read_certificate(const json& table, const std::string& path, std::size_t blocks) {
    Certificate certificate;
    certificate.id = line_text(table.at("id"), path);
    certificate.text = line_text(table.at("text"), path);
    const auto side = table.at("side").get<std::string>();
    const auto facts = table.at("facts").get<std::string>();
    if ((side != "upper" && side != "lower") || (facts != "all" && facts != "loop-bounds"))
        incomplete(certificate.id + ": side or facts have another value than expected");
    certificate.upper = side == "upper";
    certificate.all_facts = facts == "all";
    certificate.bound = whole_number(table.at("bound"));
    if (table.contains("between"))
        certificate.between = {index_of(table.at("between").at(0)),
                               index_of(table.at("between").at(1))};
    if (certificate.between &&
        std::max(certificate.between->first, certificate.between->second) >= blocks)
        incomplete(certificate.id + ": between blocks that do not exist");
    for (const auto& row : table.at("nodes")) {
        Certificate::Node node{index_of(row.at(0)), std::nullopt};
        if (!row.at(1).is_null()) node.end = whole_number(row.at(1));
        if (node.block >= blocks)
            incomplete(certificate.id + ": a node of a block that does not exist");
        certificate.nodes.push_back(node);
    }
    for (const auto& row : table.at("edges")) {
        const Certificate::Edge edge{index_of(row.at(0)), index_of(row.at(1)),
                                     whole_number(row.at(2))};
        if (edge.from >= certificate.nodes.size() || edge.to >= certificate.nodes.size())
            incomplete(certificate.id + ": an edge to a node that does not exist");
        certificate.edges.push_back(edge);
    }
    if (certificate.nodes.empty()) incomplete(certificate.id + ": no nodes");
    if (table.contains("pairs")) certificate.pairs = pair_states_of(table.at("pairs"), blocks);
    for (const auto& row : table.value("regions", json::array())) {
        auto& region = certificate.regions.emplace_back();
        for (const auto& node : row) {
            region.push_back(index_of(node));
            if (!certificate.pairs && region.back() >= certificate.nodes.size())
                incomplete(certificate.id + ": a region with a node that does not exist");
        }
    }
    if (table.contains("witness")) read_witness(certificate, table.at("witness"), blocks);
    return certificate;
}

} // namespace warpbound::certification::verify
