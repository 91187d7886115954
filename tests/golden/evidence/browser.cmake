# Looks at the pages of a bundle in headless Chromium: nothing on the console, every figure drawn, nothing wider than a
# screen of 400 pixels. Skips visibly without a browser.
cmake_policy(VERSION 3.22)
find_program(BROWSER NAMES chromium chromium-browser google-chrome)
if(NOT BROWSER)
  message(STATUS "skipped: no Chromium on PATH")
  return()
endif()
file(REMOVE_RECURSE ${OUT}/pages)
execute_process(COMMAND ${PROGRAM} certify --plan tests/golden/evidence/plan.xml --requirements tests/golden/evidence/requirements.xml
                        --runs 20 -o ${OUT}/pages/evidence
                WORKING_DIRECTORY ${ROOT} OUTPUT_QUIET RESULT_VARIABLE code)
if(NOT code EQUAL 4)
  message(FATAL_ERROR "certify ended with ${code}")
endif()
foreach(page report.html argument.gsn.svg)
  # The page in a frame as wide as a phone; the frame's owner says what it measures there.
  file(WRITE ${OUT}/pages/frame.html
       "<!DOCTYPE html><body><iframe src='evidence/${page}' width='400' height='800' style='border:0'></iframe><pre></pre><script>"
       "onload = () => { const d = document.querySelector('iframe').contentDocument; const r = d.documentElement;"
       "const shown = s => !s.closest('details:not([open])') && (!s.parentElement || getComputedStyle(s.parentElement).display !== 'none');"
       "const empty = [...d.querySelectorAll('svg')].filter(s => shown(s) && s.getBoundingClientRect().height < 10).length;"
       "document.querySelector('pre').textContent = 'width ' + r.scrollWidth + ' empty ' + empty + ' figures ' + d.querySelectorAll('svg').length + ' end'; }"
       "</script></body>")
  execute_process(COMMAND ${BROWSER} --headless --no-sandbox --disable-gpu --allow-file-access-from-files
                          --enable-logging=stderr --user-data-dir=${OUT}/pages/profile --virtual-time-budget=5000
                          --dump-dom file://${OUT}/pages/frame.html
                  OUTPUT_VARIABLE dom ERROR_VARIABLE log RESULT_VARIABLE code TIMEOUT 120)
  if(NOT dom MATCHES "width ([0-9]+) empty ([0-9]+) figures ([0-9]+) end")
    message(STATUS "skipped: the browser did not run here (${code})")
    return()
  endif()
  set(wide ${CMAKE_MATCH_1})
  set(empty ${CMAKE_MATCH_2})
  set(figures ${CMAKE_MATCH_3})
  if(wide GREATER 400 AND NOT page MATCHES "svg$")
    message(FATAL_ERROR "${page}: ${wide} pixels wide on a screen of 400")
  endif()
  if(NOT empty EQUAL 0)
    message(FATAL_ERROR "${page}: ${empty} figures are not drawn")
  endif()
  if(page STREQUAL "report.html" AND figures LESS 4)
    message(FATAL_ERROR "${page}: ${figures} figures, expected envelope and stack of each kernel")
  endif()
  if(log MATCHES "CONSOLE[^\n]*")
    message(FATAL_ERROR "${page}: ${CMAKE_MATCH_0}")
  endif()
endforeach()
