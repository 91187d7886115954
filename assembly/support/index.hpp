#pragma once
/// \file
/// Strong indices: the position of an element in one kind of sequence, which no index of another
/// kind converts to.

#include <compare>
#include <cstddef>
#include <functional>
#include <iterator>

namespace warpbound::assembly {

/// A position that counts from 0. `Tag` names what is counted. There is no conversion from or to
/// integers and no arithmetic: to compute with a position, take its `value`. Our own, since Boost's
/// strong typedef converts to the integer, which would let a node stand for a block.
template <class Tag> class Index {
public:
    constexpr Index() = default;
    explicit constexpr Index(std::size_t value) : value_{value} {}

    [[nodiscard]] constexpr std::size_t value() const { return value_; }
    /// The position after it.
    constexpr Index& operator++() {
        ++value_;
        return *this;
    }
    friend constexpr auto operator<=>(Index, Index) = default;

private:
    std::size_t value_ = 0;
};

/// The positions first .. end, without `end`, for range-based loops.
template <class Position> class IndexRange {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Position;
        using difference_type = std::ptrdiff_t;
        using pointer = const Position*;
        using reference = Position;

        explicit constexpr Iterator(Position at) : at_{at} {}
        constexpr Position operator*() const { return at_; }
        constexpr Iterator& operator++() {
            ++at_;
            return *this;
        }
        friend constexpr bool operator==(Iterator, Iterator) = default;

    private:
        Position at_;
    };

    constexpr IndexRange(Position first, Position end) : first_{first}, end_{end} {}
    [[nodiscard]] constexpr Iterator begin() const { return Iterator{first_}; }
    [[nodiscard]] constexpr Iterator end() const { return Iterator{end_}; }

private:
    Position first_;
    Position end_;
};

} // namespace warpbound::assembly

template <class Tag> struct std::hash<warpbound::assembly::Index<Tag>> {
    std::size_t operator()(warpbound::assembly::Index<Tag> index) const noexcept {
        return std::hash<std::size_t>{}(index.value());
    }
};
