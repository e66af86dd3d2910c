#pragma once

namespace convoy::plain {

/// Sets the threads with which OpenBLAS computes products of matrices in this process. Loads OpenBLAS if it
/// is not loaded yet. Throws MissingFileError if it cannot be loaded, DataError if there is no address space
/// for its buffers.
void set_blas_threads(int threads);

}  // namespace convoy::plain
