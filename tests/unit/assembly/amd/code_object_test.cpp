#include "assembly/amd/processor.hpp"
#include "code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace warpbound::assembly::amd {
namespace {

using testing::HasSubstr;

const CodeObjectKernel& kernel(const CodeObject& object, const std::string& name) {
    return *std::find_if(object.kernels.begin(), object.kernels.end(),
                         [&](const CodeObjectKernel& one) { return one.name == name; });
}

TEST(CodeObject, HasKernelsWithTheirResources) {
    const std::string image = amd_file("gfx90a.hsaco.xz");
    ASSERT_TRUE(is_code_object(image));
    const auto object = read_code_object(image);
    ASSERT_TRUE(object) << to_string(object.error());
    EXPECT_EQ(object.value().kernels.size(), 45U);
    const auto& product = kernel(object.value(), "matrix_product");
    EXPECT_EQ(product.lanes, 64);
    EXPECT_EQ(product.lds_bytes, 2 * 16 * 16 * 4);
    EXPECT_EQ(product.scratch_bytes, 0);
    EXPECT_EQ(product.max_lanes, 256);
    ASSERT_TRUE(product.vgprs && product.sgprs);
    EXPECT_GE(product.allocated_vgprs, *product.vgprs);
    EXPECT_EQ(product.allocated_vgprs % 8, 0);
    ASSERT_TRUE(product.parameters);
    ASSERT_EQ(product.parameters->size(), 4U) << "without those that the compiler adds";
    EXPECT_EQ((*product.parameters)[3].offset, 24);
    EXPECT_EQ((*product.parameters)[3].size, 4);
    EXPECT_GT(kernel(object.value(), "private_array").scratch_bytes, 0);
}

TEST(CodeObject, SaysWhatRegistersHoldAtTheStart) {
    const std::string image = amd_file("gfx90a.hsaco.xz");
    const auto object = read_code_object(image);
    ASSERT_TRUE(object);
    // Four registers of the scratch buffer lie before the address of the arguments.
    const std::vector<EntryRegister> expected{
        {{RegisterFile::Scalar, 4}, EntryValue::ArgumentPointer},
        {{RegisterFile::Scalar, 6}, EntryValue::GroupX},
        {{RegisterFile::Scalar, 7}, EntryValue::GroupY},
        {{RegisterFile::Vector, 0}, EntryValue::PackedItemXY}};
    EXPECT_EQ(kernel(object.value(), "matrix_product").entry.registers, expected);
    // Of gfx906 each index has a register.
    const std::string older = assembled_file("gfx906");
    const auto registers =
        kernel(read_code_object(older).value(), "matrix_product").entry.registers;
    ASSERT_EQ(registers.size(), 5U);
    EXPECT_EQ(registers.back(), (EntryRegister{{RegisterFile::Vector, 1}, EntryValue::ItemY}));
}

TEST(CodeObject, ReadsLinkedAndUnlinkedFilesAlike) {
    for (const std::string processor : {"gfx90a", "gfx1100"}) {
        const std::string linked = amd_file(processor + ".hsaco.xz");
        const std::string unlinked = assembled_file(processor);
        const auto a = read_code_object(linked);
        const auto b = read_code_object(unlinked);
        ASSERT_TRUE(a && b);
        ASSERT_EQ(a.value().kernels.size(), b.value().kernels.size());
        for (const CodeObjectKernel& one : a.value().kernels) {
            const auto& other = kernel(b.value(), one.name);
            EXPECT_EQ(one.code, other.code) << one.name;
            EXPECT_EQ(one.allocated_vgprs, other.allocated_vgprs);
            EXPECT_EQ(one.lds_bytes, other.lds_bytes);
            EXPECT_EQ(one.parameters, other.parameters);
        }
    }
}

TEST(CodeObject, HasWavefrontsOf32OnRdna) {
    const std::string image = amd_file("gfx1100.hsaco.xz");
    EXPECT_EQ(kernel(read_code_object(image).value(), "saxpy").lanes, 32);
}

TEST(CodeObject, OfAnotherProcessorIsRefused) {
    std::string image = amd_file("gfx90a.hsaco.xz");
    image[48] = '\x3e'; // gfx1034
    const auto object = read_code_object(image);
    ASSERT_FALSE(object);
    EXPECT_THAT(to_string(object.error()), HasSubstr("0x3e"));
    EXPECT_THAT(to_string(object.error()), HasSubstr("gfx90a"));
}

TEST(CodeObject, OfAnotherSystemIsRefused) {
    std::string image = amd_file("gfx90a.hsaco.xz");
    image[7] = '\x41'; // PAL
    EXPECT_THAT(to_string(read_code_object(image).error()), HasSubstr("amdhsa"));
}

TEST(CodeObject, WithMetadataThatNestDeeplyIsRefused) {
    std::string image = amd_file("gfx90a.hsaco.xz");
    const std::size_t note = image.find(std::string{"AMDGPU\0\0", 8}) + 8;
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) // The size lies before the note's type and name.
        size |= std::size_t{static_cast<unsigned char>(image[note - 16 + i])} << (8U * i);
    ASSERT_GT(size, 10'000U);
    image.replace(note, size, size, '\x91'); // A list in a list in a list ..
    EXPECT_THAT(to_string(read_code_object(image).error()), HasSubstr("metadata"));
}

TEST(CodeObject, IsReadOrRefusedWhereverItIsDamaged) {
    const std::string whole = amd_file("gfx1100.hsaco.xz");
    std::mt19937 random{7};
    std::size_t refused = 0;
    const auto read = [&](const std::string& image) {
        const auto object = read_code_object(image);
        if (!object) return void(++refused);
        for (const CodeObjectKernel& one : object.value().kernels)
            if (one.code.size() < 4096) {
                EXPECT_TRUE(build_function(one, object.value().target, llvm_decoder()));
            }
    };
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 60 + 1)
        read(whole.substr(0, size));
    EXPECT_GT(refused, 50U) << "a file that is cut short";
    for (int copy = 0; copy < 60; ++copy) {
        std::string image = whole;
        for (int byte = 0; byte < 4; ++byte)
            image[random() % image.size()] = static_cast<char>(random() % 256);
        read(image);
    }
}

} // namespace
} // namespace warpbound::assembly::amd
