# Fails on any include that the design does not allow. Run as: cmake -DROOT=<sources> -P check_includes.cmake
cmake_policy(VERSION 3.22)

# Who may include whom (design, section 2).
set(allowed_assembly assembly)
set(allowed_models assembly models)
set(allowed_harness assembly models harness)
set(allowed_analyzer assembly models analyzer)
set(allowed_certification assembly models harness analyzer certification)
set(allowed_cli assembly models harness analyzer certification cli)

# Libraries that are visible in some places only: the start of the included name, then the allowed paths.
set(restricted
  "^z3=>^(analyzer|certification/verify)/"
  "^sqlite3=>^harness/campaign/"
  "^tinyxml2=>(xml|reader|writer)"
  "^(iostream|ostream|istream|fstream|sstream)$=>^cli/"
  "^(cuda|nvrtc|hip/)=>^harness/devices/"
  "^openssl/=>^(assembly/support|certification)/"
  "^CLI/=>^cli/")

set(violations)
set(checked 0)
foreach(folder assembly models harness analyzer certification cli)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.cpp)
  foreach(file IN LISTS files)
    math(EXPR checked "${checked} + 1")
    file(STRINGS ${ROOT}/${file} includes REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS includes)
      if(line MATCHES "\"(assembly|models|harness|analyzer|certification|cli)/([^\"]*)\"")
        set(target ${CMAKE_MATCH_1})
        set(rest ${CMAKE_MATCH_2})
        if(NOT target IN_LIST allowed_${folder})
          list(APPEND violations "${file}: ${folder} may not include ${target}: ${line}")
        elseif(folder STREQUAL "harness" AND target STREQUAL "models" AND rest MATCHES "^formulas/")
          list(APPEND violations "${file}: harness may not include models/formulas: ${line}")
        elseif(file MATCHES "^certification/verify/" AND (target STREQUAL "analyzer"
               OR (target STREQUAL "certification" AND NOT rest MATCHES "^verify/")))
          list(APPEND violations "${file}: the check of evidence may not include what made it: ${line}")
        endif()
      endif()
      string(REGEX REPLACE "^[^<\"]*[<\"]([^>\"]*).*$" "\\1" name "${line}")
      foreach(rule IN LISTS restricted)
        string(REGEX MATCH "^(.*)=>(.*)$" matched "${rule}")
        set(library "${CMAKE_MATCH_1}")
        set(place "${CMAKE_MATCH_2}")
        if(name MATCHES "${library}" AND NOT file MATCHES "${place}")
          list(APPEND violations "${file}: ${name} is not visible here")
        endif()
      endforeach()
    endforeach()
  endforeach()
endforeach()

if(checked EQUAL 0)
  message(FATAL_ERROR "no source file found below ${ROOT}")
endif()
if(violations)
  string(REPLACE ";" "\n  " text "${violations}")
  message(FATAL_ERROR "forbidden includes:\n  ${text}")
endif()
message(STATUS "${checked} files, no forbidden include")
