#include "analyzer/value/thread_domain.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// A mask of the lowest `bits` bits.
std::uint32_t low_mask(unsigned bits) {
    return bits >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1;
}

/// The number of lowest bits that are certainly 0 in a number that equals `value` in `bits` bits.
unsigned trailing_zeros(std::uint32_t value, unsigned bits) {
    return std::min(bits, static_cast<unsigned>(std::countr_zero(value)));
}

/// Bits that numbers up to `most` need.
unsigned width_of(std::uint32_t most) {
    return static_cast<unsigned>(std::bit_width(most));
}

/// The largest result of 32-bit arithmetic, where nothing wraps; else any.
std::uint32_t or_any(std::uint64_t most) {
    return most <= ThreadNumber::any ? static_cast<std::uint32_t>(most) : ThreadNumber::any;
}

} // namespace

ThreadNumber::ThreadNumber(std::shared_ptr<const ThreadNumbers> offsets, unsigned bits,
                           std::optional<Origin> base, Groups groups, std::uint32_t most)
    : offsets_{std::move(offsets)}, bits_{bits}, base_{base}, groups_{std::move(groups)},
      most_{most} {}

ThreadArithmetic::ThreadArithmetic(const BlockShape& shape, std::int64_t warp_size,
                                   Convergence convergence, KernelParameters parameters,
                                   const LastBlock& last_block)
    : threads_{static_cast<std::size_t>(shape.count())}, warp_size_{static_cast<std::size_t>(
                                                             warp_size)},
      convergence_{convergence}, shape_{shape.threads}, parameters_{std::move(parameters)},
      last_block_{last_block}, unknown_{make(ThreadNumbers(threads_, 0), 0, {})} {}

ThreadNumber ThreadArithmetic::make(ThreadNumbers offsets, unsigned bits,
                                    std::optional<Origin> base, Groups groups,
                                    std::uint32_t most) const {
    bits = std::min(bits, 32U);
    if (most == 0) {
        offsets.assign(threads_, 0);
        bits = 32;
    }
    if (base && groups && bits < 32) { // Groups of one lane each have no common base.
        const auto is_singleton = [&](std::size_t thread) {
            return (*groups)[thread] == thread % warp_size_;
        };
        std::size_t thread = 0;
        while (thread < threads_ && is_singleton(thread))
            ++thread;
        if (thread == threads_ && threads_ > 1) base.reset();
    }
    // Without divergence origins are not distinguished.
    if (bits == 32 || (base && convergence_ == Convergence::Converged)) base = 0;
    if (bits == 32 || !base) groups.reset();
    if (bits == 32) most = *std::max_element(offsets.begin(), offsets.end());
    if (!base)
        for (std::uint32_t& offset : offsets)
            offset &= low_mask(bits);
    return {std::make_shared<const ThreadNumbers>(std::move(offsets)), bits, base,
            std::move(groups), most};
}

Groups ThreadArithmetic::common_refinement(const std::vector<const ThreadNumbers*>& keys) const {
    std::vector<const ThreadNumbers*> varying;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(varying),
                 [&](const ThreadNumbers* key) { return key && !is_uniform_in_warps(*key); });
    if (varying.empty()) return {};
    ThreadNumbers groups(threads_);
    std::vector<std::size_t> firsts; // The first thread of each group of the warp.
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        if (thread % warp_size_ == 0) firsts.clear();
        const auto found = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t first) {
            return std::all_of(varying.begin(), varying.end(), [&](const ThreadNumbers* key) {
                return (*key)[first] == (*key)[thread];
            });
        });
        groups[thread] = static_cast<std::uint32_t>(found - firsts.begin());
        if (found == firsts.end()) firsts.push_back(thread);
    }
    return std::make_shared<const ThreadNumbers>(std::move(groups));
}

Groups ThreadArithmetic::groups_of_equal(const std::vector<const ThreadNumber*>& numbers) const {
    std::vector<const ThreadNumbers*> keys;
    for (const ThreadNumber* number : numbers) {
        keys.push_back(&number->offsets());
        keys.push_back(number->groups().get());
    }
    return common_refinement(keys);
}

bool ThreadArithmetic::is_uniform_in_warps(const ThreadNumbers& numbers) const {
    for (std::size_t thread = 0; thread < numbers.size(); ++thread)
        if (numbers[thread] != numbers[thread - thread % warp_size_]) return false;
    return true;
}

bool ThreadArithmetic::differs_in_lanes(const ThreadNumber& number) const {
    if (!number.is_exact()) return false;
    const ThreadNumbers& numbers = number.offsets();
    for (std::size_t first = 0; first < threads_; first += warp_size_) {
        const std::size_t end = std::min(threads_, first + warp_size_);
        const std::set<std::uint32_t> different(numbers.begin() +
                                                    static_cast<std::ptrdiff_t>(first),
                                                numbers.begin() + static_cast<std::ptrdiff_t>(end));
        if (different.size() != end - first) return false;
    }
    return true;
}

bool ThreadArithmetic::is_mask_of_equals(const ThreadNumber& number) const {
    if (!number.is_exact() || warp_size_ > 32) return false;
    const ThreadNumbers& masks = number.offsets();
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        const std::size_t first = thread - thread % warp_size_;
        const std::size_t lanes = std::min(threads_ - first, warp_size_);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            if (((masks[thread] >> lane) & 1U) != 0 && masks[first + lane] != masks[thread])
                return false;
    }
    return true;
}

ThreadNumber ThreadArithmetic::constant(std::uint32_t value) const {
    return make(ThreadNumbers(threads_, value), 32, {});
}

ThreadNumber ThreadArithmetic::uniform(Origin origin) const {
    return make(ThreadNumbers(threads_, 0), 0, origin);
}

ThreadNumber ThreadArithmetic::constant_word(std::int64_t bank, std::int64_t offset,
                                             Origin origin) const {
    const auto found = parameters_.find(offset);
    if (bank != 0 || found == parameters_.end()) return uniform(origin);
    return make(ThreadNumbers(threads_, found->second.value & low_mask(found->second.bits)),
                found->second.bits, origin);
}

std::optional<ThreadNumber> ThreadArithmetic::geometry(Geometry number, Origin origin) const {
    const auto by_thread = [&](const auto& of) {
        ThreadNumbers numbers(threads_);
        for (std::size_t thread = 0; thread < threads_; ++thread)
            numbers[thread] = static_cast<std::uint32_t>(of(static_cast<std::int64_t>(thread)));
        return make(std::move(numbers), 32, {});
    };
    switch (number) {
    case Geometry::ThreadX:
        return by_thread([&](std::int64_t thread) { return thread % shape_[0]; });
    case Geometry::ThreadY:
        return by_thread([&](std::int64_t thread) { return thread / shape_[0] % shape_[1]; });
    case Geometry::ThreadZ:
        return by_thread([&](std::int64_t thread) { return thread / (shape_[0] * shape_[1]); });
    case Geometry::Lane:
        return by_thread(
            [&](std::int64_t thread) { return thread % static_cast<std::int64_t>(warp_size_); });
    case Geometry::ThreadsX:
        return constant(static_cast<std::uint32_t>(shape_[0]));
    case Geometry::ThreadsY:
        return constant(static_cast<std::uint32_t>(shape_[1]));
    case Geometry::ThreadsZ:
        return constant(static_cast<std::uint32_t>(shape_[2]));
    case Geometry::BlockX:
        return make(ThreadNumbers(threads_, 0), 0, origin, {}, last_block_[0]);
    case Geometry::BlockY:
        return make(ThreadNumbers(threads_, 0), 0, origin, {}, last_block_[1]);
    case Geometry::BlockZ:
        return make(ThreadNumbers(threads_, 0), 0, origin, {}, last_block_[2]);
    case Geometry::BlocksX:
    case Geometry::BlocksY:
    case Geometry::BlocksZ:
        return uniform(origin);
    }
    return std::nullopt;
}

ThreadNumber ThreadArithmetic::sum(const ThreadNumber& a, const ThreadNumber& b,
                                   Origin origin) const {
    ThreadNumbers offsets(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread)
        offsets[thread] = a.offsets()[thread] + b.offsets()[thread];
    const unsigned bits = std::min(a.bits(), b.bits());
    const std::uint32_t most = or_any(std::uint64_t{a.most()} + b.most());
    if (!a.base() || !b.base()) return make(std::move(offsets), bits, {}, {}, most);
    return make(std::move(offsets), bits, origin,
                common_refinement({a.groups().get(), b.groups().get()}), most);
}

ThreadNumber ThreadArithmetic::product(const ThreadNumber& a, const ThreadNumber& b,
                                       Origin origin) const {
    // (x + 2^k u) (y + 2^m v): the terms other than x y are multiples of 2^k y, 2^m x, 2^(k+m).
    ThreadNumbers offsets(threads_);
    unsigned bits = 32;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        const std::uint32_t x = a.offsets()[thread];
        const std::uint32_t y = b.offsets()[thread];
        offsets[thread] = x * y;
        if (!a.is_exact()) bits = std::min(bits, a.bits() + trailing_zeros(y, b.bits()));
        if (!b.is_exact()) bits = std::min(bits, b.bits() + trailing_zeros(x, a.bits()));
    }
    const std::uint32_t most = or_any(std::uint64_t{a.most()} * b.most());
    if (bits == 32 || !a.base() || !b.base()) return make(std::move(offsets), bits, {}, {}, most);
    // Where y is exact the other term is 2^k u y: equal for lanes with equal u and y.
    Groups groups = b.is_exact()   ? common_refinement({a.groups().get(), &b.offsets()})
                    : a.is_exact() ? common_refinement({b.groups().get(), &a.offsets()})
                                   : groups_of_equal({&a, &b});
    return make(std::move(offsets), bits, origin, std::move(groups), most);
}

ThreadNumber ThreadArithmetic::negation(const ThreadNumber& a, Origin origin) const {
    return product(a, constant(~std::uint32_t{0}), origin);
}

ThreadNumber ThreadArithmetic::lookup(const std::array<ThreadNumber, 3>& inputs, unsigned table,
                                      Origin origin) const {
    ThreadNumbers offsets(threads_);
    unsigned bits = 32;
    std::uint32_t most = 0;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        std::uint32_t always = ~std::uint32_t{0}; // Bits that are 1 for all unknown input bits.
        std::uint32_t ever = 0;                   // Bits that are 1 for some.
        for (unsigned choice = 0; choice < 8; ++choice) {
            std::array<std::uint32_t, 3> word{};
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                // Beside the low bits, those above the largest number are known: they are 0.
                const std::uint32_t low = low_mask(inputs[i].bits());
                const std::uint32_t unknown = low_mask(width_of(inputs[i].most())) & ~low;
                word[i] =
                    (inputs[i].offsets()[thread] & low) | (((choice >> i) & 1U) != 0 ? unknown : 0);
            }
            std::uint32_t result = 0;
            for (unsigned row = 0; row < 8; ++row) {
                if (((table >> row) & 1U) == 0) continue;
                result |= ((row & 4U) != 0 ? word[0] : ~word[0]) &
                          ((row & 2U) != 0 ? word[1] : ~word[1]) &
                          ((row & 1U) != 0 ? word[2] : ~word[2]);
            }
            always &= result;
            ever |= result;
        }
        offsets[thread] = always;
        bits = std::min(bits, trailing_zeros(always ^ ever, 32));
        most = std::max(most, ever);
    }
    const bool have_bases =
        std::all_of(inputs.begin(), inputs.end(), [](const ThreadNumber& in) { return in.base(); });
    if (bits == 32 || !have_bases) return make(std::move(offsets), bits, {}, {}, most);
    for (std::uint32_t& offset : offsets)
        offset &= low_mask(bits);
    return make(std::move(offsets), bits, origin,
                groups_of_equal({&inputs[0], &inputs[1], &inputs[2]}), most);
}

ThreadNumber ThreadArithmetic::map(const ThreadNumber& a, const ThreadNumber& b,
                                   const Binary& compute, Origin origin) const {
    if (!a.is_exact() || !b.is_exact()) return determined_by({a, b}, {}, origin);
    ThreadNumbers numbers(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread)
        numbers[thread] = compute(a.offsets()[thread], b.offsets()[thread]);
    return make(std::move(numbers), 32, {});
}

ThreadNumber ThreadArithmetic::determined_by(const std::vector<ThreadNumber>& numbers,
                                             const std::vector<ThreadPredicate>& truths,
                                             Origin origin) const {
    std::vector<const ThreadNumbers*> keys;
    for (const ThreadNumber& number : numbers) {
        if (!number.base()) return unknown_;
        keys.push_back(&number.offsets());
        keys.push_back(number.groups().get());
    }
    std::vector<ThreadNumbers> known;
    for (const ThreadPredicate& predicate : truths)
        if (!predicate.uniform)
            known.emplace_back(predicate.truth->begin(), predicate.truth->end());
    for (const ThreadNumbers& truth : known)
        keys.push_back(&truth);
    return make(ThreadNumbers(threads_, 0), 0, origin, common_refinement(keys));
}

ThreadNumber ThreadArithmetic::shifted_right(const ThreadNumber& a, unsigned by, bool is_signed,
                                             Origin origin) const {
    ThreadNumbers numbers(threads_);
    if (a.is_exact()) {
        for (std::size_t thread = 0; thread < threads_; ++thread) {
            const std::uint32_t value = a.offsets()[thread];
            numbers[thread] =
                is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value) >> by)
                          : value >> by;
        }
        return make(std::move(numbers), 32, {});
    }
    // With k known bits the number is base + offset, where 2^k divides the base. The low k bits of
    // the offset carry nothing into the others, so they are shifted on their own; lanes that agree
    // in the base and in the others have one base again.
    ThreadNumbers others(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        const std::uint32_t low = a.offsets()[thread] & low_mask(a.bits());
        numbers[thread] = low >> by;
        others[thread] = a.offsets()[thread] - low;
    }
    const unsigned bits = a.bits() > by ? a.bits() - by : 0;
    const bool keeps_sign = is_signed && width_of(a.most()) == 32;
    const std::uint32_t most = keeps_sign ? ThreadNumber::any : a.most() >> by;
    return a.base() ? make(std::move(numbers), bits, origin,
                           common_refinement({a.groups().get(), &others}), most)
                    : make(std::move(numbers), bits, {}, {}, most);
}

bool ThreadArithmetic::is_uniform(const ThreadNumber& number) const {
    return number.base() && !number.groups() && is_uniform_in_warps(number.offsets());
}

bool ThreadArithmetic::is_uniform(const ThreadPredicate& predicate) const {
    if (predicate.uniform) return true;
    const auto& truth = *predicate.truth;
    for (std::size_t thread = 0; thread < truth.size(); ++thread)
        if (truth[thread] != truth[thread - thread % warp_size_]) return false;
    return true;
}

ThreadNumber ThreadArithmetic::join(const ThreadNumber& a, const ThreadNumber& b,
                                    bool uniform_choice, Origin origin) const {
    if (a == b && (uniform_choice || is_one_value(a.base(), a.is_exact()))) return a;
    ThreadNumbers differences(threads_);
    unsigned bits = std::min(a.bits(), b.bits());
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        differences[thread] = a.offsets()[thread] - b.offsets()[thread];
        bits = std::min(bits, trailing_zeros(differences[thread], 32));
    }
    // Kept or lost at once, so that the states of a loop settle.
    const std::uint32_t most = a.most() == b.most() ? a.most() : ThreadNumber::any;
    if (!uniform_choice || !a.base() || !b.base()) return make(a.offsets(), bits, {}, {}, most);
    return make(a.offsets(), bits, origin,
                common_refinement({a.groups().get(), b.groups().get(), &differences}), most);
}

ThreadNumber ThreadArithmetic::select(const std::optional<ThreadPredicate>& predicate,
                                      const ThreadNumber& a, const ThreadNumber& b,
                                      Origin origin) const {
    if (!predicate) return join(a, b, false, origin);
    if (!predicate->truth) return join(a, b, true, origin);
    const auto& truth = *predicate->truth;
    const bool all = std::find(truth.begin(), truth.end(), false) == truth.end();
    if (all) return a;
    if (std::find(truth.begin(), truth.end(), true) == truth.end()) return b;
    ThreadNumbers offsets(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread)
        offsets[thread] = truth[thread] ? a.offsets()[thread] : b.offsets()[thread];
    const unsigned bits = std::min(a.bits(), b.bits());
    const std::uint32_t most = std::max(a.most(), b.most());
    if (!a.base() || !b.base()) return make(std::move(offsets), bits, {}, {}, most);
    const ThreadNumbers chosen(truth.begin(), truth.end());
    return make(std::move(offsets), bits, origin,
                common_refinement({&chosen, a.groups().get(), b.groups().get()}), most);
}

} // namespace warpbound::analyzer
