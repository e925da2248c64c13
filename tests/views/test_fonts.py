from __future__ import annotations

import pytest

from relmap.views.fonts import ABSENT, BASE, Typesetter

STRANGE = "\U000f1234"  # a private character: no font has it


def test_plain_text_needs_the_one_font_that_is_always_there():
    typesetter = Typesetter(["Grüße", "Ελλάδα", "кириллица", "مرحبا"])
    assert typesetter.families == [BASE]
    assert typesetter.drawable("Grüße") == "Grüße"
    assert not typesetter.absent


def test_a_box_stands_for_what_no_font_has():
    typesetter = Typesetter([f"a{STRANGE}"])
    assert typesetter.drawable(f"a{STRANGE}") == f"a{ABSENT}"
    assert not typesetter.absent  # nobody has seen it yet
    assert typesetter.written(f"a{STRANGE}") == f"a{ABSENT}"
    assert list(typesetter.absent) == [STRANGE]


def test_signs_that_are_never_seen_are_dropped_in_silence():
    typesetter = Typesetter(["a\U000e0041b"])
    assert typesetter.written("a\U000e0041b") == "ab"
    assert not typesetter.absent


def test_sizes_are_in_points_and_grow_with_the_font():
    typesetter = Typesetter(["word"])
    small, large = (typesetter.size("word", typesetter.font(size)) for size in (8, 16))
    assert large[0] == pytest.approx(2 * small[0], rel=0.05)
    assert large[1] == pytest.approx(2 * small[1], rel=0.08)
    assert 7 < small[1] < 10


def test_lines_of_the_same_font_are_equally_high():
    typesetter = Typesetter(["aceg"])
    font = typesetter.font(9)
    assert len({typesetter.size(text, font)[1] for text in ("a", "g", "lp", "ace")}) == 1


def test_items_are_packed_into_lines_that_fit():
    typesetter = Typesetter(["abc"])
    font = typesetter.font(10)
    items = [c * n for c, n in zip("abcdefgh", (3, 9, 2, 5, 5, 1, 1, 12), strict=True)]
    lines = typesetter.packed(items, font, 80, " · ")
    assert " · ".join(lines).split(" · ") == items
    assert all(typesetter.size(line, font)[0] <= 80 for line in lines)
    assert len(lines) < len(items)


def test_an_item_wider_than_the_line_is_shortened():
    typesetter = Typesetter(["w…"])
    font = typesetter.font(10)
    (line,) = typesetter.packed(["w" * 60], font, 80, " ")
    assert line.endswith("…")
    assert 60 < typesetter.size(line, font)[0] <= 80


def test_a_heading_is_bold_where_the_bold_font_has_all_characters():
    typesetter = Typesetter(["Title", "\U0001d5a0"])
    assert typesetter.heading(13, "Title").get_weight() == "bold"
    assert typesetter.heading(13, "\U0001d5a0 in a formula").get_weight() == "normal"
