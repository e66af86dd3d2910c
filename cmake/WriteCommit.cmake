# Run at each build (cmake -P): writes OUTPUT, a header with the commit of the sources in SOURCE. Git tells the commit; where Git
# or its history is missing, the commit is "unknown". Changes of the program's sources that are in no commit add "-dirty-" and the
# first digits of a hash of these changes. The file is written only if its text differs, so that nothing is compiled in vain.
#   cmake -D SOURCE=DIR -D OUTPUT=FILE -P WriteCommit.cmake

set(programs_sources CMakeLists.txt CMakePresets.json cmake apps lib)

# run_git(VARIABLE ARGUMENT...): the output of a Git command in SOURCE. Nothing if it fails.
function(run_git variable)
    execute_process(COMMAND git -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE output ERROR_QUIET RESULT_VARIABLE result
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT result STREQUAL 0)
        set(output "")
    endif()
    set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# The checkout must be SOURCE itself: an unpacked archive in some other checkout has no commit.
run_git(inside rev-parse --show-prefix)
run_git(commit rev-parse --short=12 HEAD)
if(commit STREQUAL "" OR NOT inside STREQUAL "")
    set(commit unknown)
else()
    run_git(status --no-optional-locks status --porcelain -- ${programs_sources})
    if(NOT status STREQUAL "")
        run_git(changes --no-optional-locks diff HEAD --binary --no-ext-diff --no-textconv --no-color
                --src-prefix=a/ --dst-prefix=b/ -- ${programs_sources})
        run_git(new_files ls-files --others --exclude-standard -- ${programs_sources})
        string(REPLACE "\n" ";" new_files "${new_files}")
        foreach(file ${new_files})
            if(EXISTS ${SOURCE}/${file})
                file(SHA256 ${SOURCE}/${file} hash)
                string(APPEND changes ${hash})
            endif()
        endforeach()
        string(SHA256 hash "${status}\n${changes}")
        string(SUBSTRING ${hash} 0 8 hash)
        string(APPEND commit -dirty-${hash})
    endif()
endif()

set(text "#define CONVOY_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
    file(WRITE ${OUTPUT} "${text}")
endif()
