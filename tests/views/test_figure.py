from __future__ import annotations

import subprocess
import sys
import time
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from relmap.errors import InputError, MissingExtraError, RelmapWarning, UnknownNameError
from relmap.views.labels import GAPS


def labels_of(axes):
    """The names drawn (the words around the frame take part in the layout, names do not)."""
    return [t for t in axes.texts if isinstance(t, Annotation) and not t.get_in_layout()]


def texts(axes):
    return [label.get_text() for label in labels_of(axes)]


def below(axes):
    """The words below the frame, on one line."""
    lines = [t.get_text() for t in axes.texts if t.get_in_layout() and t.get_va() == "top"]
    return " ".join(lines).replace("\n", " ")


def drawn(axes):
    """Points drawn as markers, and how many as arrowheads."""
    markers = [c.get_offsets() for c in axes.collections if isinstance(c, PathCollection)]
    arrows = [
        c.get_offsets()
        for c in axes.collections
        if isinstance(c, PolyCollection) and not isinstance(c, LineCollection)
    ]
    return np.concatenate(markers), np.concatenate(arrows)


def boxes(figure, artists):
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    return [artist.get_window_extent(renderer) for artist in artists]


def text_boxes(figure, axes):
    """The boxes of names without their leader arrows or anything else."""
    return boxes(figure, labels_of(axes))


def apart(a, b, by=0.5):
    return a.x1 < b.x0 + by or b.x1 < a.x0 + by or a.y1 < b.y0 + by or b.y1 < a.y0 + by


def within(inner, outer, by=0.5):
    return (
        inner.x0 > outer.x0 - by
        and inner.y0 > outer.y0 - by
        and inner.x1 < outer.x1 + by
        and inner.y1 < outer.y1 + by
    )


def maps(make):
    rng = np.random.default_rng(1)
    far = rng.normal(size=(120, 2))
    far[:3] = [[900, 100], [-5, 60], [-300, -300]]
    return {
        "few": make({"a": rng.normal(size=(5, 2)), "b": rng.normal(size=(4, 2))}),
        "one point": make({"a": [[2.0, 3.0]]}),
        "one each": make({"a": [[1e6, 1e6]], "b": [[1e6 + 1, 1e6]]}),
        "no points": make({"a": np.zeros((0, 2))}),
        "none of a kind": make({"a": np.zeros((0, 2)), "b": rng.normal(size=(3, 2))}),
        "all equal": make({"a": np.full((6, 2), 3.0), "b": np.full((3, 2), 3.0)}),
        "on a level line": make({"a": np.c_[np.arange(9.0), np.zeros(9)]}),
        "on an upright line": make({"a": np.c_[np.zeros(9), np.arange(9.0)]}),
        "huge": make({"a": 1e9 * rng.normal(size=(9, 2))}),
        "minute": make({"a": 1e-9 * rng.normal(size=(9, 2))}),
        "far from zero": make({"a": 1e6 + rng.normal(size=(9, 2))}),
        "outliers": make({"a": far, "b": rng.normal(size=(20, 2))}),
        "one axis": make({"a": rng.normal(size=(13, 1)), "b": rng.normal(size=(4, 1))}),
        "one axis, equal": make({"a": np.ones((5, 1)), "b": np.ones((2, 1))}),
        "one axis, one point": make({"a": [[0.0]]}),
        "five axes": make({"a": rng.normal(size=(9, 5)), "b": rng.normal(size=(3, 5))}),
        "seven kinds": make({f"kind {i}": rng.normal(size=(6, 2)) for i in range(7)}),
        "dense": make({"a": rng.normal(size=(300, 2)), "b": rng.normal(size=(900, 2))}),
        "uneven masses": make(
            {"a": rng.normal(size=(40, 2))}, masses={"a": 10.0 ** rng.uniform(-7, 0, 40)}
        ),
        "no masses": make({"a": rng.normal(size=(4, 2))}, masses={"a": np.zeros(4)}),
    }


NAMES = list(maps(lambda *_, **__: None))


@pytest.fixture(params=NAMES)
def any_map(request, make):
    return maps(make)[request.param]


class TestWhatMustHoldForEveryPicture:
    def test_names_do_not_overlap_and_stay_in_the_frame(self, any_map):
        figure = any_map.figure()
        axes = figure.axes[0]
        placed = text_boxes(figure, axes)
        for i, box in enumerate(placed):
            assert within(box, axes.bbox)
            assert all(apart(box, other) for other in placed[:i])

    def test_axes_are_equal(self, any_map):
        figure = any_map.figure()
        figure.canvas.draw()
        axes = figure.axes[0]
        zero, one = axes.transData.transform(
            [axes.viewLim.p0, axes.viewLim.p0 + axes.viewLim.width]
        )
        assert one[0] - zero[0] == pytest.approx(one[1] - zero[1], rel=1e-6)

    def test_every_point_is_there(self, any_map):
        axes = any_map.figure().axes[0]
        markers, arrows = drawn(axes)
        assert len(markers) + len(arrows) == sum(map(len, any_map.names.values()))
        for places in (markers, arrows):
            assert (places >= axes.viewLim.p0).all()
            assert (places <= axes.viewLim.p1).all()

    def test_markers_are_where_the_points_are(self, any_map):
        markers, arrows = drawn(any_map.figure().axes[0])
        everything = np.concatenate(list(any_map.points.values()))
        if everything.shape[1] == 1:
            assert set(np.ravel(markers[:, 0])) <= set(everything[:, 0])
        elif not len(arrows):
            assert sorted(map(tuple, markers)) == sorted(map(tuple, everything[:, :2]))

    def test_the_words_around_it_are_on_the_paper_and_do_not_overlap(self, any_map):
        figure = any_map.figure(title="A title of which the reader may expect that it fits " * 2)
        axes = figure.axes[0]
        words = [axes._left_title, axes.get_legend(), *(t for t in axes.texts if t.get_in_layout())]
        found = boxes(figure, words)
        for i, box in enumerate(found):
            assert within(box, figure.bbox)
            assert apart(box, axes.bbox)
            assert all(apart(box, other) for other in found[:i])

    def test_the_same_bytes_twice(self, any_map, tmp_path):
        for suffix in (".png", ".svg"):
            paths = [tmp_path / f"{i}{suffix}" for i in range(2)]
            for path in paths:
                any_map.figure(path)
            assert paths[0].read_bytes() == paths[1].read_bytes()


class TestNames:
    def test_few_points_all_get_theirs(self, survey):
        shown = texts(survey.figure().axes[0])
        assert sorted(shown) == sorted(n for names in survey.names.values() for n in names)

    def test_in_a_crowd_both_kinds_and_all_parts_of_the_map_get_some(self, crowd):
        axes = crowd.figure().axes[0]
        labels = labels_of(axes)
        kinds = [label.get_text().split()[0] for label in labels]
        assert len(labels) >= 80
        assert min(kinds.count("word"), kinds.count("document")) >= len(labels) / 5
        everything = np.concatenate(list(crowd.points.values()))
        middle = np.median(everything, axis=0)
        for east in (-1, 1):
            for north in (-1, 1):
                toward = (np.array([label.xy for label in labels]) - middle) * (east, north) > 0
                assert toward.all(axis=1).sum() >= 8

    def test_the_heaviest_of_a_kind_is_named_and_larger(self, crowd):
        labels = {t.get_text(): t.get_fontsize() for t in labels_of(crowd.figure().axes[0])}
        for kind, masses in crowd.masses.items():
            heaviest = crowd.names[kind][int(np.argmax(masses))]
            assert labels[heaviest] == max(s for name, s in labels.items() if name.startswith(kind))

    def test_what_is_left_out_is_said(self, crowd):
        axes = crowd.figure(labels=30).axes[0]
        assert len(texts(axes)) == 30
        assert "labels shown: 30 of 20,000" in below(axes)

    def test_numbers_per_kind(self, crowd):
        axes = crowd.figure(labels={"word": 12, "document": ["document 5"]}).axes[0]
        assert len([t for t in texts(axes) if t.startswith("word")]) == 12
        assert "document 5" in texts(axes)
        assert "labels shown" not in below(axes)

    def test_a_list_of_names(self, survey):
        axes = survey.figure(labels=["who 1", "task 3", "who 1"]).axes[0]
        assert sorted(texts(axes)) == ["task 3", "who 1"]
        assert "labels shown" not in below(axes)

    @pytest.mark.parametrize("none", [False, 0, [], {}])
    def test_none_at_all(self, survey, none):
        assert texts(survey.figure(labels=none).axes[0]) == []

    @pytest.mark.parametrize(
        ("name", "seen"),
        [
            ("$5 and $6", "$5 and $6"),
            (r"a_b^2 \frac{1}{2}", r"a_b^2 \frac{1}{2}"),
            ("line\nbreak\ttab\0", "line break tab"),
            ("", '""'),
            ("  ", '""'),
            ("_hidden", "_hidden"),
            (42, "42"),
            ("x" * 80, "x" * 29 + "…"),
            ("Ελληνικά Русский ñ", "Ελληνικά Русский ñ"),
            ("مرحبا", "مرحبا"),
            ("\ud800", "\ufffd"),
        ],
    )
    def test_are_drawn_as_they_are(self, make, tmp_path, name, seen):
        m = make({"_kind$1$": [[0.0, 0.0]]}, names={"_kind$1$": [name]})
        figure = m.figure(tmp_path / "m.png", title="$x_1$")
        axes = figure.axes[0]
        assert texts(axes) == [seen]
        assert axes.get_title(loc="left") == "$x_1$"
        assert [t.get_text() for t in axes.get_legend().get_texts()] == ["_kind$1$ (1)"]
        width = boxes(figure, labels_of(axes))[0].width
        assert width > 3 * len(seen)  # set as mathematics it would be much narrower

    def test_characters_without_a_font_are_reported_once(self, make, tmp_path):
        strange = make({"a": np.eye(2)}, names={"a": ["\U000f1234 x", "y \U000f1235\U000f1234"]})
        with pytest.warns(RelmapWarning, match="2 characters.*Noto") as caught:
            figure = strange.figure(tmp_path / "m.png", title="\U000f1234")
        assert len(caught) == 1
        assert sorted(texts(figure.axes[0])) == ["y □□", "□ x"]

    def test_a_title_that_only_the_plain_font_can_write(self, survey, tmp_path):
        survey.figure(tmp_path / "m.png", title="\U0001d5a0 \U0001f600 ✈")

    def test_leaders_lead_from_points_to_names(self, make):
        figure = make({"a": np.zeros((4, 2))}).figure()
        axes = figure.axes[0]
        lines = next(c for c in axes.collections if isinstance(c, LineCollection))
        assert len(lines.get_segments()) == len(lines.get_offsets()) > 0
        assert np.abs(np.concatenate(lines.get_segments())).max() < GAPS[-1] + 10


class TestTheFrame:
    def test_far_points_become_arrowheads_in_their_direction(self, make):
        axes = maps(make)["outliers"].figure().axes[0]
        _, arrows = drawn(axes)
        assert len(arrows) == 3
        assert "3 points lie outside the frame" in below(axes)
        middle = (axes.viewLim.p0 + axes.viewLim.p1) / 2
        for far, arrow in zip([[900, 100], [-5, 60], [-300, -300]], arrows, strict=True):
            way, shown = np.array(far) - middle, arrow - middle
            assert way @ shown / np.linalg.norm(way) / np.linalg.norm(shown) > 0.9999
        assert axes.viewLim.width < 20
        assert {"a 0", "a 1", "a 2"} <= set(texts(axes))

    def test_a_map_with_a_long_tail_is_shown_whole(self, make):
        tail = np.geomspace(1, 30, 60)[:, None] * [[1.0, 0.5]]
        axes = make({"a": tail}).figure().axes[0]
        assert not len(drawn(axes)[1])
        assert "outside" not in below(axes)

    def test_the_bar_is_as_long_as_it_says_and_the_grid_as_wide(self, survey):
        axes = survey.figure().axes[0]
        (bar,) = axes.lines
        length = float(np.ptp(bar.get_xdata()))
        said = next(t.get_text() for t in axes.texts if t.get_in_layout() and t.get_ha() == "right")
        assert float(said) == pytest.approx(length)
        assert np.allclose(np.diff(axes.get_xticks()), length)
        assert np.allclose(np.diff(axes.get_yticks()), length)

    def test_heavier_is_larger_within_bounds(self, make):
        masses = 10.0 ** -np.arange(7.0)
        m = make({"a": np.random.default_rng(0).normal(size=(7, 2))}, masses={"a": masses})
        (markers,) = (
            c
            for c in m.figure(labels=False).axes[0].collections
            if isinstance(c, PathCollection) and len(c.get_offsets())
        )
        area = markers.get_sizes()
        assert (np.diff(area) <= 0).all()
        assert 2 < area[0] / area[-1] < 20

    def test_one_axis_puts_each_kind_on_a_row(self, make):
        markers, _ = drawn(maps(make)["one axis"].figure().axes[0])
        assert sorted(np.unique(markers[:, 1], return_counts=True)[1]) == [4, 13]

    def test_other_axes_and_kinds(self, make):
        m = maps(make)["five axes"]
        axes = m.figure(axes=(3, 1), kinds=["b"]).axes[0]
        assert sorted(map(tuple, drawn(axes)[0])) == sorted(map(tuple, m.points["b"][:, [3, 1]]))
        assert "axes 4 and 2 of 5" in below(axes)
        single = m.figure(axes=(4,)).axes[0]
        assert set(drawn(single)[0][:, 0]) == set(np.concatenate(list(m.points.values()))[:, 4])
        assert "axis 5 of 5" in below(single)

    def test_a_kind_keeps_its_look_when_others_are_left_out(self, survey):
        whole, alone = survey.figure().axes[0], survey.figure(kinds=["who"]).axes[0]
        looks = [
            {h.get_text(): h.get_color() for h in axes.get_legend().get_texts()}
            for axes in (whole, alone)
        ]
        assert looks[1].items() < looks[0].items()

    def test_where_it_comes_from_is_said(self, survey):
        said = below(survey.figure().axes[0])
        assert "CODE · converged · 38 % of the information explained" in said
        assert "1 without data, not placed" in said

    def test_legend_and_title(self, survey):
        axes = survey.figure(title="Work").axes[0]
        assert axes.get_title(loc="left") == "Work"
        entries = [t.get_text() for t in axes.get_legend().get_texts()]
        assert entries == ["task (13)", "who (4)"]
        assert survey.figure(legend=False).axes[0].get_legend() is None

    def test_size_and_dpi(self, survey, tmp_path):
        figure = survey.figure(tmp_path / "m.png", size=(6, 5), dpi=50)
        assert tuple(figure.get_size_inches()) == (6, 5)
        header = (tmp_path / "m.png").read_bytes()[16:24]
        assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (300, 250)


class TestWhereItIsDrawn:
    @pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
    def test_files(self, survey, tmp_path, suffix):
        survey.figure(str(tmp_path / f"map{suffix}"))
        start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix.lower()]
        assert (tmp_path / f"map{suffix}").read_bytes().startswith(start)

    def test_files_hold_no_date(self, survey, tmp_path):
        for suffix in (".svg", ".pdf", ".png"):
            survey.figure(tmp_path / f"m{suffix}")
            written = (tmp_path / f"m{suffix}").read_bytes()
            assert b"CreationDate" not in written
            assert b"dc:date" not in written

    def test_a_reader_s_own_style_changes_nothing_and_is_kept(self, survey, tmp_path):
        survey.figure(tmp_path / "plain.png")
        own = {"axes.grid": False, "text.usetex": True, "font.size": 30, "figure.facecolor": "k"}
        with mpl.rc_context(own):
            survey.figure(tmp_path / "styled.png")
            assert all(mpl.rcParams[key] == value for key, value in own.items())
        assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "styled.png").read_bytes()

    def test_given_axes_are_drawn_into_and_no_others(self, survey):
        figure = Figure(figsize=(12, 6))
        left, right = figure.subplots(1, 2)
        right.plot([0, 1], [5, 7])
        before = (right.get_xlim(), right.get_ylim(), len(right.get_children()))
        place = right.get_position().bounds
        assert survey.figure(left, title="Left") is figure
        assert (right.get_xlim(), right.get_ylim(), len(right.get_children())) == before
        assert right.get_position().bounds == place
        assert len(texts(left)) == 17

    @pytest.mark.parametrize("layout", [None, "constrained", "tight"])
    def test_names_are_apart_in_axes_of_any_layout(self, survey, crowd, layout):
        figure = Figure(figsize=(13, 6), layout=layout)
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        FigureCanvasAgg(figure)
        for axes, m in zip(figure.subplots(1, 2), (survey, crowd), strict=True):
            m.figure(axes, title="A title", labels=60)
        for axes in figure.axes:
            placed = text_boxes(figure, axes)
            assert len(placed) >= 17
            for i, box in enumerate(placed):
                assert within(box, axes.bbox, 2)
                assert all(apart(box, other, 2) for other in placed[:i])

    def test_axes_of_a_subfigure(self, survey):
        figure = Figure(figsize=(10, 5))
        axes = figure.subfigures(1, 2)[1].subplots()
        assert survey.figure(axes) is figure

    def test_no_window_is_needed_and_nothing_is_left_behind(self):
        script = (
            "import sys, numpy as np\n"
            "import relmap.views.figure\n"
            "assert 'matplotlib' not in sys.modules\n"
            "from relmap.maps import Map\n"
            "Map(points={'a': np.eye(2)}, names={'a': 'xy'}, masses={'a': [1, 1]}).figure()\n"
            "assert 'matplotlib.pyplot' not in sys.modules\n"
        )
        env = {"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"}
        subprocess.run([sys.executable, "-c", script], check=True, env=env)

    def test_without_matplotlib_it_says_what_to_install(self, survey, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(MissingExtraError, match=r'pip install "relmap\[plot\]"'):
            survey.figure()

    def test_twenty_thousand_points_and_three_hundred_labels_in_seconds(self, crowd, tmp_path):
        crowd.figure(labels=1)
        start = time.perf_counter()
        crowd.figure(tmp_path / "m.png", labels=300)
        assert time.perf_counter() - start < 5


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"labels": "all"}, "labels of Map.figure must be .*; got 'all'"),
            ({"labels": -1}, "labels of Map.figure must be .*; got -1"),
            ({"labels": True}, "labels of Map.figure must be .*; got True"),
            ({"labels": None}, "labels of Map.figure must be .*; got None"),
            ({"labels": 2.5}, "labels of Map.figure must be .*; got 2.5"),
            ({"labels": {"task": -3}}, "labels of Map.figure must be .*; got -3"),
            ({"labels": {"verb": 3}}, "the kinds drawn are 'task', 'who'; got"),
            ({"kinds": ["verb"]}, r"kinds of Map.figure must be .*'who'\); got \['verb'\]"),
            ({"kinds": "task"}, "kinds of Map.figure must be a list .*; got 'task'"),
            ({"kinds": []}, "kinds of Map.figure must be"),
            ({"kinds": 3}, "kinds of Map.figure must be"),
            ({"axes": (0, 2)}, "axes of Map.figure must be .* 0 to 1, such as .*; got"),
            ({"axes": (1, 1)}, "axes of Map.figure must be"),
            ({"axes": (-1, 0)}, "axes of Map.figure must be"),
            ({"axes": 1}, "axes of Map.figure must be"),
            ({"axes": (True, 0)}, "axes of Map.figure must be"),
            ({"axes": ()}, "axes of Map.figure must be"),
            ({"title": 3}, "title of Map.figure must be text or None; got 3"),
            ({"legend": "no"}, "legend of Map.figure must be True or False; got 'no'"),
            ({"size": 8}, "size of Map.figure must be width and height"),
            ({"size": (8, 0)}, "size of Map.figure must be width and height"),
            ({"size": (8, float("nan"))}, "size of Map.figure must be width and height"),
            ({"size": (8, 1)}, "size of Map.figure must leave"),
            ({"dpi": 0}, "dpi of Map.figure must be a number from 20 to 1200; got 0"),
            ({"dpi": "high"}, "dpi of Map.figure must be"),
            ({"path_or_axes": "map.jpg"}, "must end in .png, .svg, .pdf; got 'map.jpg'"),
            ({"path_or_axes": "map"}, "must end in"),
            ({"path_or_axes": "/no/such/folder/map.png"}, "must be in a folder that exists"),
            ({"path_or_axes": 3}, "path_or_axes of Map.figure must be a path"),
        ],
    )
    def test_settings(self, survey, options, said):
        with pytest.raises(InputError, match=said):
            survey.figure(**options)

    def test_unknown_names(self, survey):
        with pytest.raises(UnknownNameError, match="did you mean 'task 1"):
            survey.figure(labels=["tusk 1"])

    def test_size_together_with_axes(self, survey):
        with pytest.raises(InputError, match="leave them out"):
            survey.figure(Figure().subplots(), size=(3, 3))

    def test_round_axes(self, survey):
        with pytest.raises(InputError, match="polar"):
            survey.figure(Figure().add_subplot(projection="polar"))

    def test_a_map_without_coordinates(self, make):
        with pytest.raises(InputError, match="at least one coordinate"):
            make({"a": np.zeros((2, 0))}).figure()

    def test_a_refused_picture_writes_nothing(self, survey, tmp_path):
        with pytest.raises(InputError):
            survey.figure(tmp_path / "m.png", labels="all")
        assert not (tmp_path / "m.png").exists()


def test_no_warning_from_matplotlib_is_ever_seen(make, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for m in maps(make).values():
            m.figure(tmp_path / "m.png")
