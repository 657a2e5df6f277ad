# SPDX-License-Identifier: BSD-2-Clause
# Headers of libraries that most files include, parsed once. Every file still names
# what it needs: the packages' builds and those with clang have none of this.
# Under ccache this wants CCACHE_SLOPPINESS=pch_defines,time_macros, as ./test sets it.

set(PERDIX_STANDARD_HEADERS
  <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <functional> <map>
  <memory> <mutex> <optional> <span> <string> <utility> <vector>)

# GCC wants a file for each set of options of the machine, for -O1, and for
# position-independent objects: those, and clang, do without.
set(PERDIX_PRECOMPILE OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT BUILD_SHARED_LIBS)
  set(PERDIX_PRECOMPILE ON)
endif()
# What GCC 12 and 14 inline from precompiled headers they take for the project's own
# code, and warn of it (std::string's operator+, std::vector's resize). Builds without
# precompiled headers keep these warnings.
set(PERDIX_PRECOMPILED_OPTIONS
  -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)

# perdix_precompile(NAME HEADERS... FOLDERS... [LIBRARY L]): what the folders' targets
# compile begins with the headers, which target NAME precompiles. Not those that have
# some. L: the headers' library, as whose users all are compiled.
function(perdix_precompile name)
  cmake_parse_arguments(ARG "" "LIBRARY" "HEADERS;FOLDERS" ${ARGN})
  if(NOT PERDIX_PRECOMPILE)
    return()
  endif()
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cc)
  target_link_libraries(${name} PRIVATE perdix_options ${ARG_LIBRARY})
  if(ARG_LIBRARY)
    set(definitions $<TARGET_PROPERTY:${ARG_LIBRARY},INTERFACE_COMPILE_DEFINITIONS>)
    set(options $<TARGET_PROPERTY:${ARG_LIBRARY},INTERFACE_COMPILE_OPTIONS>)
  endif()
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  while(ARG_FOLDERS)
    list(POP_FRONT ARG_FOLDERS folder)
    get_property(inner DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    list(APPEND ARG_FOLDERS ${inner})
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
      get_target_property(own ${target} PRECOMPILE_HEADERS)
      get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
      if(type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$"
          AND NOT independent AND NOT own AND NOT reused)
        target_precompile_headers(${target} REUSE_FROM ${name})
        target_compile_options(${target} PRIVATE
          ${PERDIX_PRECOMPILED_OPTIONS} ${options})
        target_compile_definitions(${target} PRIVATE ${definitions})
      endif()
    endforeach()
  endwhile()
endfunction()
