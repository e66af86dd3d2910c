"""Draws spectra with NumPy as lib/data/spectra.cpp says they are, for the known-answer tests of spectra_test.cpp.

Run in this folder: python3 make_spectra.py; it prints the lines of spectra_golden.inc. Made with NumPy 1.24.2.
With a folder it writes all spectra there instead: make_spectra.py OUT TRAIN TEST CLASSES SNR|none SEED [TEMPLATES]
"""

import pathlib
import sys

import numpy as np

BINS, FIRST, STEP = 1780, 11000.0, 5.0
PURPOSE = 10  # RandomPurpose::spectra


def philox(counter0, counter1, key):
    """Philox2x32-10 (Salmon et al., SC 2011) over arrays."""
    a = np.asarray(counter0, dtype=np.uint64)
    b = np.broadcast_to(np.asarray(counter1, dtype=np.uint64), a.shape)
    key = int(key)
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        product = a * np.uint64(0xD256D193)
        a, b = (product >> np.uint64(32)) ^ np.uint64(key) ^ b, product & low
        key = (key + 0x9E3779B9) & 0xFFFFFFFF
    return a, b


def stream_key(seed, purpose, layer):
    key = 0x243F6A88
    for a, b in ((seed & 0xFFFFFFFF, 0), (seed >> 32, 0), (purpose, 0), (layer, 0)):
        key = int(philox(np.array([a]), b, key)[0][0])
    return key


def uniform(key, example, elements):
    return (philox(elements, example, key)[0] >> np.uint64(8)).astype(np.float64) * 2.0**-24


# Wavelength in Å, and strength relative to the line that its group is measured by.
BALMER = [(4101.7, 0.26), (4340.5, 0.47), (4861.3, 1.0), (6562.8, 2.86)]
OXYGEN = [(4958.9, 1 / 3), (5006.8, 1.0)]
OTHERS = [(6548.1, 0.2), (6583.5, 0.6), (6716.4, 0.35), (6730.8, 0.25), (9068.6, 0.2), (9530.6, 0.5)]
ABSORBED = [(3933.7, 1.0), (3968.5, 0.9), (4304.4, 0.5), (5175.4, 0.6), (5893.0, 0.5), (8542.1, 0.4), (8662.1, 0.3)]


def analytic():
    """64 templates: four ages by four strengths of emission by four excitations."""
    wave = 3900.0 + 2.5 * np.arange(2441)
    rows = []
    for age in range(4):
        for strength in range(4):
            for excitation in range(4):
                flux = (wave / 5500.0) ** (-1.5 + 0.5 * age)
                flux = flux * (1.0 - (0.1 + 0.15 * age) / (1.0 + np.exp((wave - 4000.0) / 25.0)))
                for line, depth in ABSORBED:
                    flux = flux * (1.0 - (0.05 + 0.1 * age) * depth * np.exp(-0.5 * ((wave - line) / 8.0) ** 2))
                sigma, height = 3.0 + excitation, 2.0 / 4.0**strength
                groups = [(BALMER, 1.0), (OXYGEN, 0.5 * 2.0**excitation), (OTHERS, 1.0)]
                for lines, factor in groups:
                    for line, relative in lines:
                        flux = flux + height * factor * relative * np.exp(-0.5 * ((wave - line) / sigma) ** 2)
                rows.append(flux)
    return wave, np.array(rows).astype(np.float32)


def templates_of(folder):
    if folder is None:
        return analytic()
    folder = pathlib.Path(folder)
    return np.load(folder / "wavelength_angstrom.npy").astype(np.float64), np.load(folder / "flux.npy").astype(np.float32)


def spectrum(key, example, wave, flux, snr):
    """z, and the values of one example."""
    draws = uniform(key, example, np.arange(2))
    z = 1.0 + 0.8 * draws[0]
    bits = int(philox(np.array([1]), example, key)[0][0])
    template = (bits * len(flux)) >> 32
    values = np.interp((FIRST + STEP * np.arange(BINS)) / (1.0 + z), wave, flux[template].astype(np.float64))
    if snr is not None:
        pairs = uniform(key, example, 1024 + np.arange(BINS)).reshape(-1, 2)
        radius, angle = np.sqrt(-2.0 * np.log(1.0 - pairs[:, 0])), 2.0 * np.pi * pairs[:, 1]
        noise = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
        values = values + noise * np.median(np.abs(values)) / snr
    return z, ((values - values.mean()) / values.std()).astype(np.float32)


def split(seed, which, count, classes, snr, folder):
    key = stream_key(seed, PURPOSE, which)
    wave, flux = templates_of(folder)
    drawn = [spectrum(key, example, wave, flux, snr) for example in range(count)]
    z = np.array([each[0] for each in drawn])
    draws = np.array([uniform(key, example, np.arange(1))[0] for example in range(count)])
    return np.stack([each[1] for each in drawn]), np.floor(draws * classes).astype(np.int32), z


def write_all(out, train, test, classes, snr, seed, folder=None):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    level = None if snr == "none" else float(snr)
    for which, (name, count) in enumerate((("train", int(train)), ("test", int(test)))):
        values, labels, z = split(int(seed), which, count, int(classes), level, folder)
        np.save(out / f"{name}_images.npy", values.reshape(-1, 1, 1, BINS))
        np.save(out / f"{name}_labels.npy", labels)
        np.save(out / f"{name}_z.npy", z)


def golden():
    print("// Made by make_spectra.py.")
    at = [0, 1, 444, 889, 1234, 1779]
    for seed, which, example, snr in ((1, 0, 0, None), (1, 0, 7, None), (1, 1, 7, 3.0), (0x123456789ABCDEF, 0, 123456, 10.0)):
        key = stream_key(seed, PURPOSE, which)
        z, values = spectrum(key, example, *analytic(), snr)
        label = int(np.floor(uniform(key, example, np.arange(1))[0] * 80))
        texts = ", ".join(f"{float(values[i]):.9g}" for i in at)
        print(f"{{{seed}U, {which}, {example}, {snr or 0.0}, {z!r}, {label}, {{{texts}}}}},")


if __name__ == "__main__":
    write_all(*sys.argv[1:]) if len(sys.argv) > 1 else golden()
