# How every target of this project is built: one place for the language, the warnings and the sanitizers.

option(CONVOY_NATIVE "Build for this machine's processor only (-march=native)" OFF)
set(CONVOY_SANITIZE "" CACHE STRING "Sanitizers for every target, as for -fsanitize= (address,undefined or thread)")

find_program(CCACHE ccache)
if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
    if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
        # ccache keeps results with precompiled headers only where it is told that dates and macros in them do not matter.
        list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
    endif()
endif()

include(CommonHeaders)

add_library(convoy_options INTERFACE)
target_compile_features(convoy_options INTERFACE cxx_std_20)
target_compile_options(convoy_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# g++ 12 warns falsely, when it inlines much: of overlapping copies in std::string's operator+ (GCC bug 105651), and of
# uninitialised members in moved variants that hold a std::string (GCC bug 105562).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(convoy_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
target_include_directories(convoy_options INTERFACE ${CMAKE_SOURCE_DIR}/lib)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ collects its garbage so often that whole folders take a sixth longer; without, up to half more memory (1.9 GB).
    target_compile_options(convoy_options INTERFACE "SHELL:--param ggc-min-expand=300" "SHELL:--param ggc-min-heapsize=600000")
    # g++ takes a coroutine or a lambda that holds a type of an unnamed namespace for part of a header. Preset develop warns of these.
    target_compile_options(convoy_options INTERFACE -Wno-subobject-linkage)
endif()
if(CONVOY_NATIVE)
    target_compile_options(convoy_options INTERFACE -march=native)
    # g++ 12.2 tuned for AVX-512 may copy constants wrongly: {{3,3,2,2},{1,1,1,0}} became 1,1,1,1. Narrower copies are right.
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        target_compile_options(convoy_options INTERFACE -mmove-max=128 -mstore-max=128)
    endif()
endif()
if(CONVOY_SANITIZE)
    # Options of a folder stand before those of a target, which may then leave out a check.
    add_compile_options(-fsanitize=${CONVOY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(convoy_options INTERFACE -fsanitize=${CONVOY_SANITIZE})
endif()

# convoy_check_includes(NAME DEPENDS folder...): all of lib/ is one include path, so that names say where a header is;
# this holds what the compiler then does not: a target includes its own headers and those of its DEPENDS.
function(convoy_check_includes name)
    cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
    foreach(file ${files})
        file(STRINGS ${file} includes REGEX "^#include \"[a-z_]+/")
        foreach(include ${includes})
            string(REGEX REPLACE "^#include \"(.*)/[^/]*\".*" "\\1" folder "${include}")
            string(REPLACE "/" "_" folder ${folder})
            if(NOT folder IN_LIST ARG_DEPENDS AND NOT folder STREQUAL name)
                message(FATAL_ERROR "${file}: ${include}: convoy_${name} does not depend on ${folder}")
            endif()
        endforeach()
    endforeach()
endfunction()

# convoy_library(NAME SOURCES file... [DEPENDS folder...] [LINK external...] [OF_STEPS])
# One folder of lib/ as a target convoy_NAME. DEPENDS are folders whose headers it may include; LINK are
# outside libraries, kept private unless a header needs them (PUBLIC_LINK). OF_STEPS: the steps of a training spend
# their time here, or the tensors of all parameters pass through it, so that a release build optimises it fully.
function(convoy_library name)
    cmake_parse_arguments(ARG "OF_STEPS" "" "SOURCES;DEPENDS;LINK;PUBLIC_LINK" ${ARGN})
    convoy_check_includes(${name} DEPENDS ${ARG_DEPENDS})
    add_library(convoy_${name} STATIC ${ARG_SOURCES})
    if(ARG_OF_STEPS)
        convoy_build_as(convoy_${name} steps)
    else()
        convoy_build_as(convoy_${name} around)
    endif()
    list(TRANSFORM ARG_DEPENDS PREPEND convoy_)
    target_link_libraries(convoy_${name} PUBLIC convoy_options ${ARG_DEPENDS} ${ARG_PUBLIC_LINK} PRIVATE ${ARG_LINK})
endfunction()

# convoy_test(FOLDER SOURCES file... [DEPENDS folder...] [LINK external...] [REAL_DATA] [NEEDS_ROOT] [LARGE] [PROCESSES])
# The unit tests of one folder: every TEST_CASE becomes a test of ctest. A sanitized program takes long to begin, so there all tests of a
# folder are one test of ctest. With PROCESSES they stay apart there too: such tests take longer than the program takes to begin. With REAL_DATA some are tagged [real_data]: they
# need CONVOY_DATA, and carry that label; with NEEDS_ROOT likewise [needs_root], which make network namespaces; with LARGE
# likewise [large], which compute for long in code that a sanitizer watches.
function(convoy_test name)
    cmake_parse_arguments(ARG "REAL_DATA;NEEDS_ROOT;LARGE;PROCESSES" "" "SOURCES;DEPENDS;LINK" ${ARGN})
    add_executable(test_${name} ${ARG_SOURCES})
    # In a unity build: helpers of tests have the same names in many files of a folder, but not in ten that stand together.
    set_target_properties(test_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 10)
    # For tests that hang: a slow machine with other work took 120 s for one that takes 50 alone. Sanitized code is slow, tsan's tenfold
    # where it computes.
    set(timeout 300)
    if(CONVOY_SANITIZE)
        set(timeout 900)
    endif()
    list(TRANSFORM ARG_DEPENDS PREPEND convoy_)
    target_link_libraries(test_${name} PRIVATE convoy_test_main ${ARG_DEPENDS} ${ARG_LINK})
    convoy_build_as(test_${name} tests)
    set(always "~[.]~[real_data]~[needs_root]~[large]")
    if(CONVOY_SANITIZE AND NOT ARG_PROCESSES)
        # A sanitized program takes a quarter of a second to begin and to end, longer than most tests.
        add_test(NAME "${name}: all tests" COMMAND test_${name} ${always})
        set_tests_properties("${name}: all tests" PROPERTIES TIMEOUT ${timeout} LABELS ${name})
        # Folders that compute for long begin first, so that none of them is left alone at the end.
        if(ARG_LARGE)
            set_tests_properties("${name}: all tests" PROPERTIES COST 1000)
        endif()
    else()
        catch_discover_tests(test_${name} TEST_SPEC ${always} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT ${timeout} LABELS ${name})
    endif()
    if(ARG_REAL_DATA)
        catch_discover_tests(test_${name} TEST_SPEC "[real_data]" TEST_PREFIX "${name} (real data): "
                             PROPERTIES TIMEOUT 900 LABELS real_data)
    endif()
    if(ARG_NEEDS_ROOT)
        catch_discover_tests(test_${name} TEST_SPEC "[needs_root]" TEST_PREFIX "${name} (needs root): "
                             PROPERTIES TIMEOUT ${timeout} LABELS needs_root)
    endif()
    if(ARG_LARGE)
        catch_discover_tests(test_${name} TEST_SPEC "[large]" TEST_PREFIX "${name} (large): " PROPERTIES TIMEOUT ${timeout} LABELS large)
    endif()
endfunction()
