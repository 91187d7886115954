#include "tests/layering/standard_headers.hpp"

#include <array>
#include <map>
#include <regex>

namespace warpbound::layering {
namespace {

struct StandardHeader {
    std::string_view header;
    std::string_view names; ///< Separated by blanks.
};

/// A name of two headers stands in the one that our headers use it of.
constexpr auto standard_headers = std::to_array<StandardHeader>({
    {"algorithm", "all_of any_of count find find_if max min none_of sort"},
    {"array", "array to_array"},
    {"atomic", "atomic"},
    {"bit", "bit_cast bit_width countr_zero has_single_bit popcount"},
    {"bitset", "bitset"},
    {"chrono", "chrono"},
    {"cstddef", "byte nullptr_t size_t"},
    {"cstdint", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"},
    {"deque", "deque"},
    {"filesystem", "filesystem"},
    {"functional", "function greater hash less"},
    {"initializer_list", "initializer_list"},
    {"limits", "numeric_limits"},
    {"map", "map multimap"},
    {"memory", "make_shared make_unique shared_ptr unique_ptr"},
    {"mutex", "lock_guard mutex unique_lock"},
    {"optional", "nullopt optional"},
    {"queue", "priority_queue queue"},
    {"random", "mt19937 mt19937_64"},
    {"set", "multiset set"},
    {"span", "span"},
    {"string", "string to_string"},
    {"string_view", "string_view"},
    {"thread", "thread"},
    {"tuple", "make_tuple tie tuple"},
    {"unordered_map", "unordered_map"},
    {"unordered_set", "unordered_set"},
    {"utility", "exchange forward make_pair move pair swap"},
    {"variant", "get_if holds_alternative monostate variant visit"},
    {"vector", "vector"},
});

std::map<std::string, std::string> headers_by_name() {
    std::map<std::string, std::string> headers;
    for (const auto& [header, names] : standard_headers)
        for (std::size_t begin = 0; begin < names.size();) {
            const auto end = std::min(names.find(' ', begin), names.size());
            headers.emplace(names.substr(begin, end - begin), header);
            begin = end + 1;
        }
    return headers;
}

std::set<std::string> standard_names_of(const std::string& text) {
    static const std::regex comment_or_string{R"re(//[^\n]*|"(\\.|[^"\\\n])*")re"};
    static const std::regex name{R"re(\bstd::(\w+))re"};
    const std::string code = std::regex_replace(text, comment_or_string, "");
    std::set<std::string> names;
    for (std::sregex_iterator at{code.begin(), code.end(), name}, end; at != end; ++at)
        names.insert((*at)[1]);
    return names;
}

void collect(const std::string& file, const std::map<std::string, const HeaderText*>& known,
             std::set<std::string>& reached) {
    if (!reached.insert(file).second) return;
    const auto header = known.find(file);
    if (header == known.end()) return;
    for (const auto& include : header->second->includes)
        collect(include, known, reached);
}

} // namespace

std::vector<std::string> missing_standard_headers(const std::vector<HeaderText>& headers) {
    const auto header_of = headers_by_name();
    std::map<std::string, const HeaderText*> known;
    for (const auto& header : headers)
        known.emplace(header.file, &header);
    std::vector<std::string> missing;
    for (const auto& header : headers) {
        std::set<std::string> reached;
        collect(header.file, known, reached);
        for (const auto& name : standard_names_of(header.text)) {
            const auto needed = header_of.find(name);
            if (needed != header_of.end() && reached.count(needed->second) == 0)
                missing.push_back(header.file + ": std::" + name + " needs <" + needed->second +
                                  ">");
        }
    }
    return missing;
}

} // namespace warpbound::layering
