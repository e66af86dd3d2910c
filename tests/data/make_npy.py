"""Makes the files of the known-answer tests with NumPy itself: files that convoy reads, and files that it refuses.

Run in this folder: python3 make_npy.py; it writes npy/*.npy. Made with NumPy 1.24.2.
"""

import pathlib

import numpy as np

folder = pathlib.Path("npy")


def save(name, array, version=None):
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def main():
    folder.mkdir(exist_ok=True)
    # Read: every type, one to four dimensions, every version. Element i of each array is i, or i - 3 where there is a sign.
    save("u1_4x2x3", np.arange(24, dtype="u1").reshape(4, 2, 3))
    save("i4_6", np.arange(6, dtype="<i4") - 3)
    save("i8_6", np.arange(6, dtype="<i8") - 3, version=(2, 0))
    save("f4_4x5", (np.arange(20, dtype="<f4") - 3).reshape(4, 5), version=(3, 0))
    save("f8_2x3x2x2", (np.arange(24, dtype="<f8") - 3).reshape(2, 3, 2, 2))
    save("f4_2x2x2x3", (np.arange(24, dtype="<f4") - 3).reshape(2, 2, 2, 3))
    save("labels_u1", np.array([0, 2, 1, 0], dtype="u1"))
    save("labels_i8", np.array([0, 2, 1, 0, 1, 2], dtype="<i8"))
    # Refused, each for one reason.
    save("fortran", np.asfortranarray(np.arange(6, dtype="<f4").reshape(2, 3)))
    save("big_endian", np.arange(6, dtype=">f4"))
    save("half", np.arange(6, dtype="<f2"))
    save("structured", np.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")]))
    save("scalar", np.array(3.5, dtype="<f4"))
    save("empty", np.zeros((0, 3), dtype="<f4"))
    save("five_dimensions", np.zeros((2, 1, 1, 1, 1), dtype="<f4"))
    save("not_finite", np.array([[0, 1], [2, np.nan], [3, 4], [5, 6]], dtype="<f4"))


main()
