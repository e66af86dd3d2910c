# Headers of the language and of outside libraries that most folders include. They are parsed once for all targets of a kind
# (precompiled), which saves a folder two seconds. Preset develop does without: there each file must include what it uses.

set(common_headers <algorithm> <array> <filesystem> <functional> <map> <memory> <optional> <ranges> <set> <span> <string> <vector>
                   <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)

# convoy_optimise(TARGET KIND): how a release build and a sanitized one optimise the code of a kind.
#   steps   the steps of a training spend their time there
#   around  other code of the program. It compiles in three quarters of the time that -O1 takes, and is a third slower.
#   tests   what is tested is optimised as it is shipped; the tests around it need not be
function(convoy_optimise target kind)
    if(kind STREQUAL around)
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
    elseif(kind STREQUAL tests)
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    if(CONVOY_SANITIZE AND NOT kind STREQUAL steps)
        target_compile_options(${target} PRIVATE -O0)
        # g++ takes a third of its time for these checks at each access. The fuzzers have them (clang++) for the code that reads
        # what comes from outside, and asan sees null pointers. Tests do without all of these checks: they stay on in the .cpp
        # files of lib/ and apps/; of inline functions in headers a test may link its own, unchecked copy.
        if(kind STREQUAL tests AND CONVOY_SANITIZE MATCHES undefined)
            target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
        elseif(CONVOY_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
            target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,object-size)
        endif()
    endif()
endfunction()

# convoy_common_headers(KIND [LINK external...] [HEADERS <header>...]): makes the target that parses them for a kind.
function(convoy_common_headers kind)
    cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
    add_library(convoy_headers_${kind} OBJECT ${CMAKE_SOURCE_DIR}/cmake/common_headers.cpp)
    target_link_libraries(convoy_headers_${kind} PRIVATE convoy_options fmt::fmt nlohmann_json::nlohmann_json ${ARG_LINK})
    convoy_optimise(convoy_headers_${kind} ${kind})
    target_precompile_headers(convoy_headers_${kind} PRIVATE ${common_headers} ${ARG_HEADERS})
endfunction()

# convoy_build_as(TARGET KIND): optimises a target as its kind, with the common headers.
function(convoy_build_as target kind)
    convoy_optimise(${target} ${kind})
    target_precompile_headers(${target} REUSE_FROM convoy_headers_${kind})
endfunction()
