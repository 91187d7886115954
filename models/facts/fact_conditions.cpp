#include "models/facts/fact_conditions.hpp"

#include <fmt/format.h>

namespace warpbound::models {
namespace {

/// Reads an attribute by `parse`; nothing where the element lacks it.
template <typename Value, typename Parse>
Result<void> read(const XmlElement& element, const std::string& name, const Parse& parse,
                  std::optional<Value>& value) {
    const std::string* const text = element.find(name);
    if (text == nullptr) return boost::outcome_v2::success();
    auto parsed = parse(*text);
    if (!parsed) return Failure{fmt::format("'{}': {}", name, parsed.error().what), {}};
    value = std::move(parsed).value();
    return boost::outcome_v2::success();
}

Result<std::int64_t> parse_count(const std::string& text) {
    const auto launch = parse_launch(text + "x1");
    if (launch && text.find('x') == std::string::npos) return launch.value().blocks;
    return Failure{fmt::format("'{}' is no number of thread blocks", text), {}};
}

Result<ArgumentWords> parse_arguments(const std::string& text) {
    ArgumentWords words;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (auto added = add_argument_word(text.substr(begin, end - begin), words); !added)
            return added.as_failure();
        begin = end + 1;
    }
    return words;
}

/// The first word of which both state something else.
std::optional<std::string> other_word(const ArgumentWords& known, const ArgumentWords& made) {
    for (const auto& [offset, word] : known)
        if (const auto other = made.find(offset); other != made.end() && !(other->second == word))
            return fmt::format("{} against {}", to_string(ArgumentWords{{offset, word}}),
                               to_string(ArgumentWords{{offset, other->second}}));
    return std::nullopt;
}

} // namespace

FactConditions conditions_of(const Launch& launch) {
    FactConditions conditions;
    conditions.block = block_shape_of(launch);
    conditions.grid = launch.grid;
    if (!launch.grid) conditions.blocks = launch.blocks;
    conditions.arguments = launch.arguments;
    return conditions;
}

std::vector<std::pair<std::string, std::string>> attributes_of(const FactConditions& conditions) {
    std::vector<std::pair<std::string, std::string>> attributes;
    if (conditions.block) attributes.emplace_back("block", to_string(*conditions.block));
    if (conditions.grid) attributes.emplace_back("grid", to_string(*conditions.grid));
    if (conditions.blocks) attributes.emplace_back("blocks", std::to_string(*conditions.blocks));
    if (!conditions.arguments.empty())
        attributes.emplace_back("arguments", to_string(conditions.arguments));
    return attributes;
}

Result<FactConditions> read_conditions(const XmlElement& element) {
    FactConditions conditions;
    if (auto block = read(element, "block", parse_block_shape, conditions.block); !block)
        return block.as_failure();
    if (auto grid = read(element, "grid", parse_grid_shape, conditions.grid); !grid)
        return grid.as_failure();
    if (auto blocks = read(element, "blocks", parse_count, conditions.blocks); !blocks)
        return blocks.as_failure();
    std::optional<ArgumentWords> arguments;
    if (auto words = read(element, "arguments", parse_arguments, arguments); !words)
        return words.as_failure();
    if (arguments) conditions.arguments = *std::move(arguments);
    if (conditions.grid && conditions.blocks)
        return Failure{"'grid' and 'blocks' are both stated; expected one of them", {}};
    return conditions;
}

std::optional<std::string> contradiction(const FactConditions& conditions, const Launch& launch) {
    constexpr std::string_view otherwise = "; run `warpbound flow-facts` for this launch, or "
                                           "remove the attribute where no fact of the "
                                           "file depends on it";
    if (conditions.block && *conditions.block != block_shape_of(launch))
        return fmt::format("these flow facts were derived for blocks of {} threads; the launch has "
                           "blocks of {}{}",
                           to_string(*conditions.block), to_string(block_shape_of(launch)),
                           otherwise);
    if (conditions.grid && !launch.grid)
        return fmt::format("these flow facts were derived for a grid of {} blocks; the launch {} "
                           "does not say its grid; state --grid {}",
                           to_string(*conditions.grid), to_string(launch),
                           to_string(*conditions.grid));
    if (conditions.grid && *conditions.grid != *launch.grid)
        return fmt::format("these flow facts were derived for a grid of {} blocks; the launch has "
                           "one of {}{}",
                           to_string(*conditions.grid), to_string(*launch.grid), otherwise);
    if (conditions.blocks && *conditions.blocks != launch.blocks)
        return fmt::format("these flow facts were derived for {} blocks; the launch has {}{}",
                           *conditions.blocks, launch.blocks, otherwise);
    if (const auto word = other_word(conditions.arguments, launch.arguments))
        return fmt::format("these flow facts were derived for other arguments ({}){}", *word,
                           otherwise);
    return std::nullopt;
}

std::optional<std::string> contradiction(const FactConditions& known, const FactConditions& made) {
    const auto differ = [](const std::string& what, const std::string& old,
                           const std::string& now) {
        return std::optional{
            fmt::format("facts for {} {}; the new ones are for {}", what, old, now)};
    };
    if (known.block && made.block && *known.block != *made.block)
        return differ("blocks of", to_string(*known.block), to_string(*made.block) + " threads");
    const auto blocks = [](const FactConditions& of) {
        return of.grid ? "a grid of " + to_string(*of.grid)
                       : (of.blocks ? std::to_string(*of.blocks) + " blocks" : std::string{});
    };
    if (!blocks(known).empty() && !blocks(made).empty() && blocks(known) != blocks(made))
        return differ("launches of", blocks(known), blocks(made));
    if (!known.arguments.empty() && !made.arguments.empty() && known.arguments != made.arguments)
        return differ("arguments", to_string(known.arguments), to_string(made.arguments));
    return std::nullopt;
}

} // namespace warpbound::models
