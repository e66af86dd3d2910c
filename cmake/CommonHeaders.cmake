# Most folders include the same headers of the language and of outside libraries. They are parsed once for all targets of a kind
# (precompiled), which saves a folder two seconds. Preset develop does without: there each file must include what it uses.

set(common_headers <algorithm> <array> <filesystem> <functional> <map> <memory> <optional> <ranges> <set> <span> <string> <vector>
                   <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)

# convoy_optimise(TARGET KIND): sets how a release build and a sanitized build optimise a target.
#   steps   the steps of a training spend their time there
#   around  other code of the program. -Og compiles in four fifths of the time of -O1; a report takes 1.4 times as long.
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
    # g++ 12 also tells of these false warnings (GCC bug 105651) where the headers of the language are precompiled.
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
        target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
endfunction()
