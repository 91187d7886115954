#pragma once
/// \file
/// Bounds of a number by an earlier number of the same thread (S92).

#include <cstdint>

namespace warpbound::analyzer {

/// `v + offset`, or `offset - v`, where v is the number that an instruction wrote when the thread
/// executed it last. As signed integers, without wrapping around.
class RelativeBound {
public:
    /// None.
    RelativeBound() = default;
    /// The number that the instruction at this address writes.
    explicit RelativeBound(std::int64_t writer) : writer_{writer}, sign_{1} {}

    [[nodiscard]] bool is_known() const { return sign_ != 0; }
    [[nodiscard]] bool is_of(std::int64_t writer) const { return sign_ != 0 && writer_ == writer; }
    [[nodiscard]] std::int64_t offset() const { return offset_; }
    /// Both are known, and differ by a constant.
    [[nodiscard]] bool is_parallel_to(const RelativeBound& other) const {
        return is_known() && writer_ == other.writer_ && sign_ == other.sign_;
    }
    [[nodiscard]] RelativeBound negated() const;
    [[nodiscard]] RelativeBound plus(std::int64_t number) const;
    friend bool operator==(const RelativeBound&, const RelativeBound&) = default;

private:
    std::int64_t writer_ = 0;
    std::int64_t offset_ = 0;
    int sign_ = 0; ///< Of v; 0: no bound.
};

/// A number is at least one and at most the other.
struct RelativeBounds {
    RelativeBound least;
    RelativeBound most;

    /// Both ends are the number that the instruction writes.
    static RelativeBounds of_result(std::int64_t writer) {
        return {RelativeBound{writer}, RelativeBound{writer}};
    }
    [[nodiscard]] bool is_known() const { return least.is_known() || most.is_known(); }
    [[nodiscard]] RelativeBounds negated() const { return {most.negated(), least.negated()}; }
    [[nodiscard]] RelativeBounds plus(std::int64_t number) const {
        return {least.plus(number), most.plus(number)};
    }
    /// What holds of both numbers.
    [[nodiscard]] RelativeBounds join(const RelativeBounds& other) const;
    /// Leaves out bounds by what the instruction wrote: it writes again.
    void forget(std::int64_t writer);
    friend bool operator==(const RelativeBounds&, const RelativeBounds&) = default;
};

} // namespace warpbound::analyzer
