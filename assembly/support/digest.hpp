#pragma once
/// \file
/// Incremental SHA-256.

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
    /// In the form of `digest_of`. Requires: called once, after the last `add`.
    [[nodiscard]] std::string text();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace warpbound::assembly
