# The package for Debian: `cpack -G DEB` in a build's folder writes convoy_VERSION_ARCHITECTURE.deb of what `cmake --install` puts
# beside each other. dpkg-shlibdeps finds the libraries that the program needs.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME convoy)
set(CPACK_PACKAGE_CONTACT "The convoy developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "convoy starts the nodes of an experiment, trains its network over TCP, and
writes tables: time of each operator, computation beside communication, loss
and accuracy, CPU, memory and network traffic. The first experiment needs no
data: convoy run experiments/quickstart.json")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Programs that convoy calls: for plots, for emulated hosts (ip, tc; sysctl), for downloads. OpenBLAS is loaded by its name, for the
# back-end xtensor only.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, iproute2, procps, ca-certificates, libopenblas0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openssh-client")
include(CPack)
