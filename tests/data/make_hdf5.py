"""Makes the files of the known-answer tests with h5py: arrays that convoy reads, and arrays that it refuses.

Run in this folder: python3 make_hdf5.py; it writes hdf5/*.h5. Made with h5py 3.7.0 and HDF5 1.10.8.
"""

import pathlib

import h5py
import numpy as np

folder = pathlib.Path("hdf5")


def main():
    folder.mkdir(exist_ok=True)
    # Read: every type, in one piece and in chunks. Element i of each array is i, or i - 3 where there is a sign.
    with h5py.File(folder / "read.h5", "w", track_order=True) as file:
        images = np.arange(4 * 2 * 3, dtype="u1").reshape(4, 2, 3)
        file.create_dataset("train/images", data=images, chunks=(3, 2, 2), compression="gzip", shuffle=True, fletcher32=True)
        file.create_dataset("train/labels", data=np.array([0, 2, 1, 0], dtype="<i8"))
        file.create_dataset("i4", data=np.arange(6, dtype="<i4") - 3, chunks=(4,))
        file.create_dataset("big_endian", data=(np.arange(20, dtype=">f4") - 3).reshape(4, 5))
        file.create_dataset("f8", data=(np.arange(24, dtype="<f8") - 3).reshape(2, 3, 2, 2), chunks=(1, 3, 2, 2), compression="gzip")
        file["link"] = h5py.SoftLink("/train/labels")
    # Refused, each for one reason.
    with h5py.File(folder / "refused.h5", "w", track_order=True) as file:
        file.create_dataset("half", data=np.arange(6, dtype="<f2"))
        file.create_dataset("signed_bytes", data=np.arange(6, dtype="i1"))
        file.create_dataset("text", data=np.array([b"a", b"b"]))
        file.create_dataset("compound", data=np.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")]))
        file.create_dataset("scalar", data=np.float32(3.5))
        file.create_dataset("empty", shape=(0, 3), dtype="<f4")
        file.create_dataset("lzf", data=np.zeros((4, 4), dtype="<f4"), compression="lzf")
        file.create_dataset("huge_chunks", shape=(1 << 20, 1 << 10), dtype="<f4", chunks=(1 << 19, 1 << 10))
        file.create_dataset("external", shape=(4,), dtype="<f4", external=[("elsewhere.bin", 0, h5py.h5f.UNLIMITED)])
        file["other_file"] = h5py.ExternalLink("read.h5", "/i4")
        file.create_group("group")
        file.create_dataset("unwritten", shape=(6,), dtype="<f4")
        half = file.create_dataset("half_written", shape=(6,), dtype="<f4", chunks=(2,), compression="gzip")
        half[:4] = 1
        layout = h5py.VirtualLayout(shape=(6,), dtype="<i4")
        layout[:] = h5py.VirtualSource("read.h5", "i4", shape=(6,))
        file.create_virtual_dataset("virtual", layout)


main()
