# What is installed beside the program (cli/) and the libraries (warpbound_library): descriptions, examples, pages,
# public headers, a CMake package and pkg-config files. Components: program, development.
install(DIRECTORY models/architecture/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpbound/architectures
        FILES_MATCHING PATTERN "*.xml")
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpbound/examples USE_SOURCE_PERMISSIONS)
install(DIRECTORY python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpbound/python
        PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN "*.egg-info" EXCLUDE PATTERN build EXCLUDE)
install(PROGRAMS scripts/board.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/warpbound/scripts)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(libraries assembly models harness)
if(WARPBOUND_ANALYZER)
  list(APPEND libraries analyzer verify certification)
endif()
set(includes ${CMAKE_INSTALL_INCLUDEDIR}/warpbound)
install(CODE "set(root \"${PROJECT_SOURCE_DIR}\")\nset(includes \"${includes}\")\nset(folders ${libraries})" COMPONENT development)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install/public_headers.cmake COMPONENT development)

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/warpbound)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/install/warpbound-config.cmake.in
                              ${PROJECT_BINARY_DIR}/install/warpbound-config.cmake INSTALL_DESTINATION ${package})
# Before version 1 each minor version may change interfaces.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/warpbound-config-version.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/install/warpbound-config.cmake ${PROJECT_BINARY_DIR}/install/warpbound-config-version.cmake
        DESTINATION ${package} COMPONENT development)
install(EXPORT warpbound NAMESPACE warpbound:: FILE warpbound-targets.cmake DESTINATION ${package} COMPONENT development)

# warpbound_pkg_config(LIBRARY DESCRIPTION REQUIRES): only static libraries exist, so all that they need is required.
function(warpbound_pkg_config library description requires)
  file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/install/warpbound.pc.in
                 ${PROJECT_BINARY_DIR}/install/warpbound-${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/install/warpbound-${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endfunction()
warpbound_pkg_config(assembly "GPU programs as data: readers, control flow" "libcrypto liblzma libzstd zlib fmt")
warpbound_pkg_config(models "descriptions of GPUs, launches, flow facts, published formulas" "warpbound-assembly tinyxml2 fmt")
warpbound_pkg_config(harness "simulated device, measurements, campaigns" "warpbound-models sqlite3 fmt")
if(WARPBOUND_ANALYZER)
  warpbound_pkg_config(analyzer "bounds of the execution time of GPU kernels" "warpbound-models z3 >= 4.8.12 fmt")
  warpbound_pkg_config(verify "verification of evidence bundles" "warpbound-harness z3 >= 4.8.12 libcrypto fmt")
  warpbound_pkg_config(certification "reports and evidence bundles" "warpbound-verify warpbound-analyzer tinyxml2 libcrypto fmt")
endif()
