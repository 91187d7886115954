# Run by CPack on the files of each package: what Debian's policy asks for. Manual pages and change logs are compressed,
# the licence is named in a copyright file. SOURCE_DATE_EPOCH sets the date of the change log.
find_program(gzip gzip REQUIRED)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(GLOB roots ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr)
foreach(root IN LISTS roots)
  set(package libwarpbound-dev)
  if(EXISTS ${root}/bin)
    set(package warpbound)
  endif()
  set(documents ${root}/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/copyright ${documents}/copyright)
  file(REMOVE ${documents}/LICENSE)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md ${documents}/changelog)
  file(REMOVE ${documents}/CHANGELOG.md)
  file(WRITE ${documents}/changelog.Debian
       "warpbound (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
       "  * Changes that users see: changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB compressed ${root}/share/man/man1/*.1)
  execute_process(COMMAND ${gzip} -9nf ${documents}/changelog ${documents}/changelog.Debian ${compressed} COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD_RECURSE ${documents} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
       DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
