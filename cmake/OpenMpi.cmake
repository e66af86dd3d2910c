# Open MPI, for the algorithm "mpi" of sums. Where it is missing (libopenmpi-dev), everything else is built. CONVOY_HAS_MPI says
# which; convoy_openmpi is the library. Its deprecated functions of C++ are left aside.

option(CONVOY_MPI "Build the algorithm mpi where Open MPI is found" ON)
set(CONVOY_HAS_MPI OFF)
# Sanitizers would report the memory that Open MPI leaves to the system at its end.
if(CONVOY_MPI AND NOT CONVOY_SANITIZE)
    find_package(MPI COMPONENTS CXX QUIET)
    if(MPI_CXX_FOUND AND MPI_mpi_LIBRARY)
        file(STRINGS ${MPI_CXX_HEADER_DIR}/mpi.h version REGEX "define OMPI_MAJOR_VERSION")
        if(version)
            set(CONVOY_HAS_MPI ON)
        endif()
    endif()
endif()
if(CONVOY_HAS_MPI)
    add_library(convoy_openmpi INTERFACE)
    target_link_libraries(convoy_openmpi INTERFACE ${MPI_mpi_LIBRARY})
    target_include_directories(convoy_openmpi SYSTEM INTERFACE ${MPI_CXX_INCLUDE_DIRS})
    target_compile_definitions(convoy_openmpi INTERFACE OMPI_SKIP_MPICXX)
else()
    message(STATUS "Without Open MPI: the algorithm mpi is not built (libopenmpi-dev)")
endif()
