#pragma once
/// \file
/// A vector that is cheap to copy.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace warpbound::assembly {

/// A vector whose copies share the elements until one of them changes its own.
template <class T> class SharedVector {
public:
    SharedVector() : elements_{std::make_shared<std::vector<T>>()} {}
    SharedVector(std::vector<T> elements) // NOLINT(google-explicit-constructor): is one
        : elements_{std::make_shared<std::vector<T>>(std::move(elements))} {}

    [[nodiscard]] const T& operator[](std::size_t index) const { return (*elements_)[index]; }
    [[nodiscard]] std::size_t size() const { return elements_->size(); }
    [[nodiscard]] bool empty() const { return elements_->empty(); }
    [[nodiscard]] auto begin() const { return std::as_const(*elements_).begin(); }
    [[nodiscard]] auto end() const { return std::as_const(*elements_).end(); }
    operator const std::vector<T>&() const { // NOLINT(google-explicit-constructor): is one
        return *elements_;
    }

    /// The elements, no longer shared with copies. Not while another thread copies this object.
    [[nodiscard]] std::vector<T>& own() {
        if (elements_.use_count() > 1) elements_ = std::make_shared<std::vector<T>>(*elements_);
        return *elements_;
    }

private:
    std::shared_ptr<std::vector<T>> elements_;
};

} // namespace warpbound::assembly
