// clang-format off
namespace {
struct Delays {
    [[nodiscard]] int
    longest_delay(int cycles) const {
        return cycles + 0;
    }
};
} // namespace
