# What every target of the project is compiled with. Warnings are errors only in presets.
add_library(warpbound_options INTERFACE)
target_compile_features(warpbound_options INTERFACE cxx_std_20)
target_compile_options(warpbound_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
                                                  -Wold-style-cast)
# g++ 12 reports false overlaps in std::string concatenation (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(warpbound_options INTERFACE -Wno-restrict)
endif()
# Files that are compiled together share a scope; builds file by file (preset dev, CI) check for shadowed names.
if(CMAKE_UNITY_BUILD)
  target_compile_options(warpbound_options INTERFACE -Wno-shadow)
endif()
target_include_directories(warpbound_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

if(WARPBOUND_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# One static library per folder: warpbound_<folder>, alias warpbound::<folder>; installed under the same names.
function(warpbound_library folder)
  add_library(warpbound_${folder} STATIC ${ARGN})
  add_library(warpbound::${folder} ALIAS warpbound_${folder})
  target_link_libraries(warpbound_${folder} PUBLIC $<BUILD_INTERFACE:warpbound_options>)
  target_compile_features(warpbound_${folder} PUBLIC cxx_std_20)
  target_include_directories(warpbound_${folder} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/warpbound>)
  set_target_properties(warpbound_${folder} PROPERTIES EXPORT_NAME ${folder})
  install(TARGETS warpbound_${folder} EXPORT warpbound ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endfunction()

# For code in which no time is spent: compiling it takes a quarter less.
macro(warpbound_compile_fast)
  add_compile_options($<$<CONFIG:Release>:-O1>)
endmacro()
