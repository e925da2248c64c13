from __future__ import annotations

import itertools

import numpy as np
import pytest

from relmap.views.colours import MARKERS, PALETTE, contrast, ink, look

# Machado, Oliveira and Fernandes (2009), full severity, on linear RGB.
EYES = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def rgb(colour):
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def lab(colour, eyes="normal"):
    part = rgb(colour)
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(EYES[eyes] @ linear, 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least(values):
    return min(values(a, b) for a, b in itertools.combinations(PALETTE, 2))


def test_the_simulation_knows_what_dichromats_confuse():
    red, green = "#c04000", "#707000"
    seen = {e: np.linalg.norm(lab(red, e) - lab(green, e)) for e in EYES}
    assert seen["deuteranopia"] < seen["normal"] / 2


@pytest.mark.parametrize("eyes", EYES)
def test_any_two_colours_differ_by_25_units_to_all_eyes(eyes):
    assert least(lambda a, b: np.linalg.norm(lab(a, eyes) - lab(b, eyes))) > 25


def test_any_two_colours_differ_by_10_units_of_lightness_in_print():
    assert least(lambda a, b: abs(lab(a)[0] - lab(b)[0])) > 10


def test_all_colours_stand_out_from_white_paper():
    assert all(lab(colour)[0] < 80 for colour in PALETTE)


@pytest.mark.parametrize("colour", [*PALETTE, "#ffffff", "#000000", "#ffff00"])
def test_ink_can_be_read_and_keeps_its_hue(colour):
    dark = ink(colour)
    assert contrast(*rgb(dark)) >= 5.3
    assert np.allclose(rgb(dark) * rgb(colour).max(), rgb(colour) * rgb(dark).max(), atol=0.02)


def test_contrast_of_black_and_of_grey_is_that_of_the_standard():
    assert contrast(0, 0, 0) == pytest.approx(21)
    assert contrast(1, 1, 1) == pytest.approx(1)
    assert contrast(*rgb("#767676")) == pytest.approx(4.54, abs=0.01)


def test_neighbouring_kinds_differ_in_marker_too_and_forty_two_kinds_can_be_told_apart():
    looks = [look(i) for i in range(len(PALETTE) * len(MARKERS))]
    assert len({(k.colour, k.marker) for k in looks}) == 42
    for few in itertools.pairwise(looks):
        assert few[0].marker != few[1].marker
    assert len({k.marker for k in looks[: len(PALETTE)]}) == len(PALETTE)
