# The HDF Group's library as the target hdf5::hdf5. CMake's own module needs the language C, and may take the variant for MPI.
find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5)
if(NOT HDF5_INCLUDE_DIR OR NOT HDF5_LIBRARY)
    message(FATAL_ERROR "The HDF5 library is missing; scripts/setup installs it (libhdf5-dev).")
endif()
add_library(hdf5::hdf5 UNKNOWN IMPORTED)
set_target_properties(hdf5::hdf5 PROPERTIES IMPORTED_LOCATION "${HDF5_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${HDF5_INCLUDE_DIR}")
mark_as_advanced(HDF5_INCLUDE_DIR HDF5_LIBRARY)
