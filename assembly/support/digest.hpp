#pragma once
/// \file
/// The SHA-256 of bytes that come piece by piece.

#include <memory>
#include <string>
#include <string_view>

namespace warpbound::assembly {

class Digest {
public:
    Digest();
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    void add(std::string_view bytes);
    /// As `digest_of` writes it. Requires: called once, last.
    [[nodiscard]] std::string text();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace warpbound::assembly
