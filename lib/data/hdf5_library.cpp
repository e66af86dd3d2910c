#include "data/hdf5_library.hpp"

namespace convoy {
namespace {

/// The library's own lock, where it has one, does not cover a sequence of calls.
std::recursive_mutex& library_mutex() {
    static std::recursive_mutex mutex;
    return mutex;
}

}  // namespace

Hdf5Turn::Hdf5Turn() : lock_(library_mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &context_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Turn::~Hdf5Turn() {
    H5Eset_auto2(H5E_DEFAULT, print_, context_);
}

std::string hdf5_error() {
    std::string text;
    const auto take = [](unsigned /*depth*/, const H5E_error2_t* found, void* into) -> herr_t {
        auto& words = *static_cast<std::string*>(into);
        if (words.empty() && found->desc != nullptr) words = found->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &text);
    return text.empty() ? "the HDF5 library refuses it" : text;
}

}  // namespace convoy
