#include "assembly/isa/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <functional>
#include <memory>
#include <numeric>

namespace warpbound::assembly {

namespace {

constexpr std::size_t most_listed = 20;

/// Without blanks, so that "fill<int>(int *)" fits "fill<int>(int*)".
std::string without_blanks(std::string_view text) {
    std::string out{text};
    out.erase(std::remove(out.begin(), out.end(), ' '), out.end());
    return out;
}

/// "ns::fill<int>" of "void ns::fill<int>(int*)".
std::string without_parameters(const std::string& text) {
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' && depth == 0 && text.compare(i, 21, "(anonymous namespace)") != 0)
            return text.substr(begin, i - begin);
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') --depth;
        if (c == ' ' && depth == 0) begin = i + 1;
    }
    return text;
}

/// "ns::fill" of "ns::fill<int>".
std::string without_template_arguments(const std::string& text) {
    return text.substr(0, text.find('<'));
}

/// Number of characters to insert, delete or replace (Levenshtein 1966).
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t k = 0; k < to.size(); ++k) {
            const std::size_t replaced = diagonal + (from[i] == to[k] ? 0 : 1);
            diagonal = row[k + 1];
            row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
        }
    }
    return row.back();
}

std::vector<std::string> similar_names(const std::vector<std::string>& names,
                                       const std::string& wanted) {
    std::vector<std::string> similar;
    for (const std::string& name : names) {
        const std::string plain = without_template_arguments(without_parameters(demangled(name)));
        if (std::min(edit_distance(plain, wanted), edit_distance(name, wanted)) <=
            wanted.size() / 3 + 1)
            similar.push_back(name);
    }
    return similar;
}

} // namespace

std::string demangled(const std::string& name) {
    if (name.rfind("_Z", 0) != 0) return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text{
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free};
    return status == 0 && text ? std::string{text.get()} : name;
}

std::string plain_name(const std::string& name) {
    const std::string whole = without_template_arguments(without_parameters(demangled(name)));
    const std::size_t scope = whole.rfind("::");
    return scope == std::string::npos ? whole : whole.substr(scope + 2);
}

Result<std::size_t> find_kernel_name(const std::vector<std::string>& names,
                                     std::string_view wanted) {
    if (wanted.empty()) {
        if (names.size() == 1) return std::size_t{0};
        return Failure{
            fmt::format("holds several kernels, name one with --kernel: {}", list_of_names(names))};
    }
    const std::string compact = without_blanks(wanted);
    using Fits = std::function<bool(const std::string&)>;
    const auto demangled_fits = [&](auto part) {
        return [&, part](const std::string& name) {
            return without_blanks(part(demangled(name))) == compact;
        };
    };
    const std::vector<Fits> rules{
        [&](const std::string& name) { return name == wanted; },
        demangled_fits([](const std::string& text) { return text; }),
        demangled_fits([](const std::string& text) { return without_parameters(text); }),
        demangled_fits([](const std::string& text) {
            return without_template_arguments(without_parameters(text));
        }),
        [&](const std::string& name) {
            return name.find(wanted) != std::string::npos ||
                   without_blanks(demangled(name)).find(compact) != std::string::npos;
        }};
    for (const Fits& fits : rules) {
        std::vector<std::string> matches;
        std::size_t found = 0;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!fits(names[i])) continue;
            matches.push_back(names[i]);
            found = i;
        }
        if (matches.size() == 1) return found;
        if (!matches.empty())
            return Failure{fmt::format("the name '{}' fits several kernels, name one of them: {}",
                                       wanted, list_of_names(matches))};
    }
    const auto similar = similar_names(names, compact);
    return Failure{fmt::format("there is no kernel '{}'; {}: {}", wanted,
                               similar.empty() ? "there are" : "did you mean",
                               list_of_names(similar.empty() ? names : similar))};
}

std::string list_of_names(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < most_listed; ++i) {
        const std::string text = demangled(names[i]);
        out += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
        if (text != names[i]) out += fmt::format(" ({})", without_parameters(text));
    }
    if (names.size() > most_listed) out += fmt::format(" and {} more", names.size() - most_listed);
    return out;
}

} // namespace warpbound::assembly
