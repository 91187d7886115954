#pragma once
/// \file
/// What writers of random listings share: draws, and lines with control fields.

#include "tests/support/random_source.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::tests {

class RandomListing {
protected:
    using Choices = std::vector<std::string>;

    explicit RandomListing(RandomSource& random_source) : random_source_{random_source} {}

    bool percent(std::int64_t n) { return draw(1, 100) <= n; }
    std::int64_t draw(std::int64_t lo, std::int64_t hi) { return random_source_.whole(lo, hi); }
    std::string one_of(const Choices& choices) {
        return choices[static_cast<std::size_t>(
            draw(0, static_cast<std::int64_t>(choices.size()) - 1))];
    }
    void add(const std::string& line) { text_ += line + " ?trans6;\n"; }
    void put(const std::string& label) { text_ += label + ":\n"; }
    std::string label() { return "L" + std::to_string(++labels_); }

    RandomSource& random_source_;
    std::string text_;

private:
    int labels_ = 0;
};

} // namespace warpbound::tests
