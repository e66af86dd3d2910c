// A target with precompiled headers must have a file: CommonHeaders.cmake.
