#include "analyzer/value/thread_domain.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// The lowest `bits` bits.
std::uint32_t low(unsigned bits) {
    return bits >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1;
}

/// How many of the lowest bits of a number that agrees with `value` in `bits` bits are surely 0.
unsigned zeros(std::uint32_t value, unsigned bits) {
    return std::min(bits, static_cast<unsigned>(std::countr_zero(value)));
}

} // namespace

ThreadNumber::ThreadNumber(std::shared_ptr<const ThreadNumbers> offsets, unsigned bits,
                           std::optional<Origin> common, Groups groups)
    : offsets_{std::move(offsets)}, bits_{bits}, common_{common}, groups_{std::move(groups)} {}

ThreadArithmetic::ThreadArithmetic(const BlockShape& shape, std::int64_t warp_size, Lanes lanes,
                                   KernelParameters words)
    : threads_{static_cast<std::size_t>(shape.count())},
      warp_size_{static_cast<std::size_t>(warp_size)}, lanes_{lanes}, shape_{shape.threads},
      words_{std::move(words)}, unknown_{made(ThreadNumbers(threads_, 0), 0, {})} {}

ThreadNumber ThreadArithmetic::made(ThreadNumbers offsets, unsigned bits,
                                    std::optional<Origin> common, Groups groups) const {
    bits = std::min(bits, 32U);
    if (common && groups && bits < 32) { // Lanes that are all alone have nothing in common.
        const auto alone = [&](std::size_t thread) {
            return (*groups)[thread] == thread % warp_size_;
        };
        std::size_t thread = 0;
        while (thread < threads_ && alone(thread))
            ++thread;
        if (thread == threads_ && threads_ > 1) common.reset();
    }
    // Together no two numbers are told apart by where they come from.
    if (bits == 32 || (common && lanes_ == Lanes::Together)) common = 0;
    if (bits == 32 || !common) groups.reset();
    if (!common)
        for (std::uint32_t& offset : offsets)
            offset &= low(bits);
    return {std::make_shared<const ThreadNumbers>(std::move(offsets)), bits, common,
            std::move(groups)};
}

Groups ThreadArithmetic::refined(const std::vector<const ThreadNumbers*>& parts) const {
    std::vector<const ThreadNumbers*> some;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(some),
                 [&](const ThreadNumbers* part) { return part && !same_in_warps(*part); });
    if (some.empty()) return {};
    ThreadNumbers groups(threads_);
    std::vector<std::size_t> firsts; // Of each group of the warp, its first thread.
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        if (thread % warp_size_ == 0) firsts.clear();
        const auto found = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t first) {
            return std::all_of(some.begin(), some.end(), [&](const ThreadNumbers* part) {
                return (*part)[first] == (*part)[thread];
            });
        });
        groups[thread] = static_cast<std::uint32_t>(found - firsts.begin());
        if (found == firsts.end()) firsts.push_back(thread);
    }
    return std::make_shared<const ThreadNumbers>(std::move(groups));
}

Groups ThreadArithmetic::holding_the_same(const std::vector<const ThreadNumber*>& numbers) const {
    std::vector<const ThreadNumbers*> parts;
    for (const ThreadNumber* number : numbers) {
        parts.push_back(&number->offsets());
        parts.push_back(number->groups().get());
    }
    return refined(parts);
}

bool ThreadArithmetic::same_in_warps(const ThreadNumbers& numbers) const {
    for (std::size_t thread = 0; thread < numbers.size(); ++thread)
        if (numbers[thread] != numbers[thread - thread % warp_size_]) return false;
    return true;
}

ThreadNumber ThreadArithmetic::constant(std::uint32_t value) const {
    return made(ThreadNumbers(threads_, value), 32, {});
}

ThreadNumber ThreadArithmetic::uniform(Origin origin) const {
    return made(ThreadNumbers(threads_, 0), 0, origin);
}

ThreadNumber ThreadArithmetic::word(std::int64_t bank, std::int64_t offset, Origin origin) const {
    const auto found = words_.find(offset);
    if (bank != 0 || found == words_.end()) return uniform(origin);
    return made(ThreadNumbers(threads_, found->second.value & low(found->second.bits)),
                found->second.bits, origin);
}

std::optional<ThreadNumber> ThreadArithmetic::geometry(Geometry number, Origin origin) const {
    const auto by_thread = [&](const auto& of) {
        ThreadNumbers numbers(threads_);
        for (std::size_t thread = 0; thread < threads_; ++thread)
            numbers[thread] = static_cast<std::uint32_t>(of(static_cast<std::int64_t>(thread)));
        return made(std::move(numbers), 32, {});
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
    case Geometry::BlockY:
    case Geometry::BlockZ:
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
    if (!a.common() || !b.common()) return made(std::move(offsets), bits, {});
    return made(std::move(offsets), bits, origin, refined({a.groups().get(), b.groups().get()}));
}

ThreadNumber ThreadArithmetic::product(const ThreadNumber& a, const ThreadNumber& b,
                                       Origin origin) const {
    // (x + 2^k u) (y + 2^m v): all but x y is a multiple of these powers.
    ThreadNumbers offsets(threads_);
    unsigned bits = 32;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        const std::uint32_t x = a.offsets()[thread];
        const std::uint32_t y = b.offsets()[thread];
        offsets[thread] = x * y;
        if (!a.is_exact()) bits = std::min(bits, a.bits() + zeros(y, b.bits()));
        if (!b.is_exact()) bits = std::min(bits, b.bits() + zeros(x, a.bits()));
    }
    if (bits == 32 || !a.common() || !b.common()) return made(std::move(offsets), bits, {});
    // Where y is known all but x y is u y, the same where u and y are.
    Groups groups = b.is_exact()   ? refined({a.groups().get(), &b.offsets()})
                    : a.is_exact() ? refined({b.groups().get(), &a.offsets()})
                                   : holding_the_same({&a, &b});
    return made(std::move(offsets), bits, origin, std::move(groups));
}

ThreadNumber ThreadArithmetic::negative(const ThreadNumber& a, Origin origin) const {
    return product(a, constant(~std::uint32_t{0}), origin);
}

ThreadNumber ThreadArithmetic::looked_up(const std::array<ThreadNumber, 3>& inputs, unsigned table,
                                         Origin origin) const {
    ThreadNumbers offsets(threads_);
    unsigned bits = 32;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        std::uint32_t always = ~std::uint32_t{0}; // Bits that are 1 however the unknown ones are.
        std::uint32_t ever = 0;                   // Bits that may be 1.
        for (unsigned choice = 0; choice < 8; ++choice) {
            std::array<std::uint32_t, 3> word{};
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const std::uint32_t known = low(inputs[i].bits());
                word[i] = (inputs[i].offsets()[thread] & known) |
                          (((choice >> i) & 1U) != 0 ? ~known : 0);
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
        bits = std::min(bits, zeros(always ^ ever, 32));
    }
    const bool in_common = std::all_of(inputs.begin(), inputs.end(),
                                       [](const ThreadNumber& in) { return in.common(); });
    if (bits == 32 || !in_common) return made(std::move(offsets), bits, {});
    for (std::uint32_t& offset : offsets)
        offset &= low(bits);
    return made(std::move(offsets), bits, origin,
                holding_the_same({&inputs[0], &inputs[1], &inputs[2]}));
}

ThreadNumber ThreadArithmetic::applied(const ThreadNumber& a, const ThreadNumber& b,
                                       const Binary& compute, Origin origin) const {
    if (!a.is_exact() || !b.is_exact()) return following({a, b}, {}, origin);
    ThreadNumbers numbers(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread)
        numbers[thread] = compute(a.offsets()[thread], b.offsets()[thread]);
    return made(std::move(numbers), 32, {});
}

ThreadNumber ThreadArithmetic::following(const std::vector<ThreadNumber>& numbers,
                                         const std::vector<ThreadPredicate>& truths,
                                         Origin origin) const {
    std::vector<const ThreadNumbers*> parts;
    for (const ThreadNumber& number : numbers) {
        if (!number.common()) return unknown_;
        parts.push_back(&number.offsets());
        parts.push_back(number.groups().get());
    }
    std::vector<ThreadNumbers> known;
    for (const ThreadPredicate& predicate : truths)
        if (!predicate.common) known.emplace_back(predicate.truth->begin(), predicate.truth->end());
    for (const ThreadNumbers& truth : known)
        parts.push_back(&truth);
    return made(ThreadNumbers(threads_, 0), 0, origin, refined(parts));
}

ThreadNumber ThreadArithmetic::shifted_right(const ThreadNumber& a, unsigned by, bool is_signed,
                                             Origin origin) const {
    const auto shifted = [&](std::uint32_t value) {
        return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value) >> by)
                         : value >> by;
    };
    ThreadNumbers numbers(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread)
        numbers[thread] = shifted(a.offsets()[thread]);
    if (a.is_exact()) return made(std::move(numbers), 32, {});
    const unsigned bits = a.bits() > by ? a.bits() - by : 0;
    for (std::uint32_t& number : numbers)
        number &= low(bits);
    return a.common() ? made(std::move(numbers), bits, origin, holding_the_same({&a}))
                      : made(std::move(numbers), bits, {});
}

bool ThreadArithmetic::is_uniform(const ThreadNumber& number) const {
    return number.common() && !number.groups() && same_in_warps(number.offsets());
}

bool ThreadArithmetic::is_uniform(const ThreadPredicate& predicate) const {
    if (predicate.common) return true;
    const auto& truth = *predicate.truth;
    for (std::size_t thread = 0; thread < truth.size(); ++thread)
        if (truth[thread] != truth[thread - thread % warp_size_]) return false;
    return true;
}

ThreadNumber ThreadArithmetic::either(const ThreadNumber& a, const ThreadNumber& b, bool alike,
                                      Origin origin) const {
    if (a == b && (alike || are_one(a.common(), a.is_exact()))) return a;
    ThreadNumbers differences(threads_);
    unsigned bits = std::min(a.bits(), b.bits());
    for (std::size_t thread = 0; thread < threads_; ++thread) {
        differences[thread] = a.offsets()[thread] - b.offsets()[thread];
        bits = std::min(bits, zeros(differences[thread], 32));
    }
    if (!alike || !a.common() || !b.common()) return made(a.offsets(), bits, {});
    return made(a.offsets(), bits, origin,
                refined({a.groups().get(), b.groups().get(), &differences}));
}

ThreadNumber ThreadArithmetic::selected(const std::optional<ThreadPredicate>& predicate,
                                        const ThreadNumber& a, const ThreadNumber& b,
                                        Origin origin) const {
    if (!predicate) return either(a, b, false, origin);
    if (!predicate->truth) return either(a, b, true, origin);
    const auto& truth = *predicate->truth;
    const bool all = std::find(truth.begin(), truth.end(), false) == truth.end();
    if (all) return a;
    if (std::find(truth.begin(), truth.end(), true) == truth.end()) return b;
    ThreadNumbers offsets(threads_);
    for (std::size_t thread = 0; thread < threads_; ++thread)
        offsets[thread] = truth[thread] ? a.offsets()[thread] : b.offsets()[thread];
    const unsigned bits = std::min(a.bits(), b.bits());
    if (!a.common() || !b.common()) return made(std::move(offsets), bits, {});
    const ThreadNumbers chosen(truth.begin(), truth.end());
    return made(std::move(offsets), bits, origin,
                refined({&chosen, a.groups().get(), b.groups().get()}));
}

} // namespace warpbound::analyzer
