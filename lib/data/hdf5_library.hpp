#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace convoy {

/// The right to call the HDF5 library, which is made for one thread at a time. Its errors are not printed
/// meanwhile. A thread may have it several times: a file may be written from another one. Only sources that
/// read or write HDF5 include this.
class Hdf5Turn {
  public:
    Hdf5Turn();
    Hdf5Turn(const Hdf5Turn&) = delete;
    Hdf5Turn& operator=(const Hdf5Turn&) = delete;
    Hdf5Turn(Hdf5Turn&&) = delete;
    Hdf5Turn& operator=(Hdf5Turn&&) = delete;
    ~Hdf5Turn();

  private:
    std::scoped_lock<std::recursive_mutex> lock_;
    H5E_auto2_t print_ = nullptr;
    void* context_ = nullptr;
};

/// An identifier of the library. Whoever makes, uses and closes it has the turn.
class Hdf5Handle {
  public:
    using Close = herr_t (*)(hid_t);
    Hdf5Handle(hid_t id, Close closes) : id_(id), close_(closes) {}
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;
    Hdf5Handle(Hdf5Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&&) = delete;
    ~Hdf5Handle() { close(); }
    [[nodiscard]] hid_t id() const { return id_; }
    /// Returns whether the library did so without an error. Nothing happens the second time.
    bool close() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

  private:
    hid_t id_;
    Close close_;
};

/// What the library says of its last error in this thread, in the words of the function that found it.
std::string hdf5_error();

}  // namespace convoy
