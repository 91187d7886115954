#pragma once
/// \file
/// Whether two folders define functions of the same name. The verifier is written from the
/// theorems: where it has the names of the analyzer's functions, it is likely their transcript.

#include <set>
#include <string>
#include <vector>

namespace warpbound::layering {

/// A source file as it is written.
struct SourceText {
    std::string file;
    std::string text;
};

/// Names of the functions that the text defines, member functions included, of words in lower case
/// that underscores separate. Declarations, calls and constructors do not count.
std::set<std::string> defined_functions(const std::string& text);

/// Whether at least two of the words of a name say something: `of`, `is`, `has` and the like do
/// not.
bool has_several_words(const std::string& name);

/// For each name of several words that both defined: "name: defined in FILE and in FILE". Names in
/// `allowed` do not count.
std::vector<std::string> shared_names(const std::vector<SourceText>& ones,
                                      const std::vector<SourceText>& others,
                                      const std::set<std::string>& allowed);

} // namespace warpbound::layering
