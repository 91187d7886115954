# `text` against the expectation of the case, or rewritten with APPROVE.
if(APPROVE)
  file(WRITE ${CASE}/expected "${text}")
  return()
endif()
file(READ ${CASE}/expected expected)
if(NOT text STREQUAL expected)
  message(FATAL_ERROR "the output differs from ${CASE}/expected\n--- now\n${text}\n--- expected\n${expected}")
endif()
