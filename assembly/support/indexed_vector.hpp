#pragma once
/// \file
/// A vector that only its own kind of index reads.

#include "assembly/support/index.hpp"

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace warpbound::assembly {

/// A vector of `T` whose elements are reached by a strong index alone, as in LLVM's `IndexedMap`
/// and OR-Tools' `StrongVector`; we need no more of them than this. Otherwise as `std::vector`.
template <class Position, class T> class IndexedVector {
public:
    using Elements = std::vector<T>;
    using value_type = T;

    IndexedVector() = default;
    explicit IndexedVector(std::size_t size, const T& value = T{}) : elements_(size, value) {}
    explicit IndexedVector(Elements elements) : elements_{std::move(elements)} {}
    IndexedVector(std::initializer_list<T> elements) : elements_{elements} {}

    [[nodiscard]] decltype(auto) operator[](Position at) { return elements_[at.value()]; }
    [[nodiscard]] decltype(auto) operator[](Position at) const { return elements_[at.value()]; }
    [[nodiscard]] decltype(auto) back() { return elements_.back(); }
    [[nodiscard]] decltype(auto) back() const { return elements_.back(); }

    [[nodiscard]] std::size_t size() const { return elements_.size(); }
    [[nodiscard]] bool empty() const { return elements_.empty(); }
    [[nodiscard]] auto begin() { return elements_.begin(); }
    [[nodiscard]] auto end() { return elements_.end(); }
    [[nodiscard]] auto begin() const { return elements_.begin(); }
    [[nodiscard]] auto end() const { return elements_.end(); }

    /// The positions of the elements that are there now, in order.
    [[nodiscard]] IndexRange<Position> indices() const { return {Position{0}, next()}; }
    /// The position that the next element gets.
    [[nodiscard]] Position next() const { return Position{elements_.size()}; }
    /// Requires: an element.
    [[nodiscard]] Position last() const { return Position{elements_.size() - 1}; }

    void reserve(std::size_t size) { elements_.reserve(size); }
    void resize(std::size_t size) { elements_.resize(size); }
    void assign(std::size_t size, const T& value) { elements_.assign(size, value); }
    void clear() { elements_.clear(); }
    /// Appends the element. Returns where it is.
    Position push_back(T element) {
        elements_.push_back(std::move(element));
        return last();
    }
    /// Appends `number` copies. Returns where the first is.
    Position append(std::size_t number, const T& element) {
        const Position first = next();
        elements_.insert(elements_.end(), number, element);
        return first;
    }

    friend bool operator==(const IndexedVector&, const IndexedVector&) = default;

private:
    Elements elements_;
};

} // namespace warpbound::assembly
