"""The command, run as a user runs it: in a shell, in some folder, with good and bad input."""

import csv
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import io, sparse

from relmap import CODE, Relations, datasets, load, read_table

COMMAND = Path(sys.executable).with_name("relmap")
EVENTS = "user,movie,n\nann,Alien,3\nann,Up,1\nbo,Up,4\nbo,Alien,1\ncy,Heat,2\ncy,Alien,2\n"
WIDE = "site,oak,elm\nnorth,4,1\nsouth,1,3\neast,2,2\n"


@pytest.fixture
def relmap(tmp_path):
    """Run the command in a folder with some files; return status, output and errors."""
    (tmp_path / "events.csv").write_text(EVENTS)
    (tmp_path / "wide.csv").write_text(WIDE)

    def run(*words):
        command = [COMMAND] if COMMAND.exists() else [sys.executable, "-m", "relmap"]
        done = subprocess.run(
            [*command, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_events_become_a_map_file_that_python_reads(relmap, tmp_path):
    words = "map events.csv --rows user --columns movie --weight n -o m.relmap"
    status, out, errors = relmap(*words.split())
    assert (status, errors) == (0, "")
    assert "user (3) × movie (3): 13 counts" in out
    table = read_table(tmp_path / "events.csv", rows="user", columns="movie", weight="n")
    assert load(tmp_path / "m.relmap").points.keys() == {"user", "movie"}
    same = CODE(random_state=0, penalty="auto").fit(table).map_
    assert np.allclose(load(tmp_path / "m.relmap").points["user"], same.points["user"])


def test_every_option_of_a_model_reaches_it(relmap, tmp_path):
    words = "--dimensions 3 --variant MM --weighting rows --starts 4 --penalty 0.01 --max-iter 77"
    relmap("map", "wide.csv", *words.split(), "--seed", "5", "-o", "m.relmap")
    kept = load(tmp_path / "m.relmap").settings
    wanted = {"n_components": 3, "variant": "MM", "weighting": "rows", "n_init": 4}
    wanted |= {"penalty": 0.01, "max_iter": 77, "random_state": 5}
    assert wanted.items() <= dict(kept).items()


def test_coordinates_are_the_same_in_every_format(relmap, tmp_path):
    polars = pytest.importorskip("polars")
    status, _, _ = relmap("map", "wide.csv", "-o", "m.csv", "-o", "m.parquet", "-o", "m.relmap")
    assert status == 0
    m = load(tmp_path / "m.relmap")
    with (tmp_path / "m.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    frame = polars.read_parquet(tmp_path / "m.parquet")
    assert [line["name"] for line in lines] == frame["name"].to_list() == m.columns()["name"]
    assert [float(line["x"]) for line in lines] == frame["x"].to_list() == m.columns()["x"]


@pytest.mark.parametrize(
    ("ending", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_pictures_are_what_their_names_say(relmap, tmp_path, ending, first):
    status, _, errors = relmap("map", "wide.csv", "-o", f"m.{ending}", "--title", "$x^2$")
    assert (status, errors) == (0, "")
    assert (tmp_path / f"m.{ending}").read_bytes().startswith(first)


def test_without_an_output_a_picture_and_a_map_are_left_beside(relmap, tmp_path):
    relmap("map", "wide.csv")
    assert {"wide.png", "wide.relmap"} <= {path.name for path in tmp_path.iterdir()}


def test_quiet_says_nothing(relmap):
    assert relmap("map", "wide.csv", "-o", "m.csv", "-q") == (0, "", "")


def test_names_that_look_like_numbers_or_formulas_stay(relmap, tmp_path):
    (tmp_path / "odd.csv").write_text(',=1+1,1e5\n007,3,1\nNA,1,2\n"a,""b""",1,1\n')
    relmap("map", "odd.csv", "-o", "odd.relmap")
    names = load(tmp_path / "odd.relmap").names
    assert tuple(names["row"]) == ("007", "NA", 'a,"b"')
    assert tuple(names["column"]) == ("=1+1", "1e5")
    assert "=1+1" in relmap("info", "odd.relmap", "--nearest", "007", "--kind", "column")[1]


def test_matrices_are_read(relmap, tmp_path):
    counts = sparse.coo_array(np.array([[3, 1], [0, 2], [1, 1]]))
    io.mmwrite(tmp_path / "m.mtx", counts)
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_array(counts))
    for name in ("m.mtx", "m.npz"):
        status, out, _ = relmap("map", name, "-o", "m.csv")
        assert status == 0
        assert "row (3) × column (2): 8 counts" in out


def test_info_tells_what_the_file_holds(relmap, tmp_path):
    model = CODE().fit(datasets.load_smoke())
    model.map_.save(tmp_path / "smoke.relmap")
    status, out, _ = relmap("info", "smoke.relmap")
    assert status == 0
    for word in ("staff (5)", "converged", "explained_information", "smoke.csv"):
        assert word in out
    nearest = relmap("info", "smoke.relmap", "--nearest", "heavy", "--kind", "staff", "-k", "1")
    assert "junior employees" in nearest[1]


def test_demo_says_what_it_left_and_leaves_it(relmap, tmp_path):
    status, out, errors = relmap("demo", "--folder", "shown")
    assert (status, errors) == (0, "")
    for name in ("shown/housetasks.png", "shown/housetasks.relmap"):
        assert name in out
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("map", 2, "INPUT"),
        ("frob", 2, "frob"),
        ("map nothing.csv", 1, "nothing.csv"),
        ("map events.csv --rows usr --columns movie", 1, "Did you mean 'user'"),
        ("map events.csv --rows user", 2, "both --rows and --columns"),
        ("map events.csv --weight stars", 2, "both --rows and --columns"),
        ("map old.relmap", 2, "is a map already; relmap info old.relmap"),
        ("map wide.csv --model ca --set scaling=both", 2, "must be one of 'symmetric'"),
        ("map wide.csv --set tol=0.1", 2, "tol has an option of its own: --tol"),
        ("map wide.csv --tol nan", 2, "tol of CODE must be"),
        ("map wide.csv -o folder.parquet", 1, "cannot write 'folder.parquet'"),
        ("map wide.csv -o folder.csv", 1, "cannot write 'folder.csv': Is a directory"),
        ("map wide.csv -o folder.relmap", 1, "cannot write 'folder.relmap'"),
        ("info wide.csv -k 3", 2, "are for --nearest"),
        (
            "map events.csv --rows user --columns movie --weight movie",
            1,
            "'movie', which holds names",
        ),
        ("map wide.csv -o m.gif", 2, "m.gif"),
        ("map wide.csv -o no/m.png", 2, "folder 'no'"),
        ("map wide.csv --variant XY", 2, "XY"),
        ("map wide.csv --dimensions 0", 2, "dimensions"),
        ("map wide.csv -o wide.csv", 2, "is the input"),
        ("map wide.csv --penalty much", 2, "at least 0, or auto"),
        ("info wide.csv", 1, "wide.csv"),
        ("info nothing.relmap", 1, "no such file"),
    ],
)
def test_what_goes_wrong_is_one_line_and_a_status(relmap, tmp_path, words, status, message):
    for ending in ("csv", "parquet", "relmap"):
        (tmp_path / f"folder.{ending}").mkdir()
    code, out, errors = relmap(*words.split())
    assert code == status
    assert message in errors
    assert errors.startswith("relmap: ")
    assert errors.count("\n") == 1
    assert "Traceback" not in out + errors


@pytest.mark.parametrize("name", ["--5", "9" * 5000, "1_0", "٣"])
def test_names_that_are_nearly_numbers_are_looked_up_as_texts(relmap, name):
    relmap("map", "wide.csv", "-o", "m.relmap")
    code, _, errors = relmap("info", "m.relmap", f"--nearest={name}")
    assert code == 1
    assert errors.count("\n") == 1
    assert "Traceback" not in errors


def test_a_table_that_says_nothing_is_told(relmap, tmp_path):
    (tmp_path / "even.csv").write_text("x,a,b\nr,2,4\ns,3,6\n")
    code, out, _ = relmap("map", "even.csv", "-o", "m.relmap")
    assert code == 0
    assert "all in one place: rows and columns do not depend on each other" in out


def test_an_empty_table_is_refused_in_words(relmap, tmp_path):
    (tmp_path / "zero.csv").write_text("x,a,b\nr,0,0\ns,0,0\n")
    code, _, errors = relmap("map", "zero.csv")
    assert code == 1
    assert "all its counts are 0" in errors


def test_a_run_that_did_not_converge_is_noted_and_written(relmap, tmp_path):
    code, _, errors = relmap(
        "map", "wide.csv", "--max-iter", "1", "-o", "m.relmap", "--penalty", "0"
    )
    assert code == 0
    assert "note: CODE reached max_iter" in errors
    assert load(tmp_path / "m.relmap").status == "reached max_iter"


@pytest.mark.parametrize("words", [("--help",), ("map", "--help"), ("info", "-h"), ("--version",)])
def test_help_answers_at_once(relmap, words):
    def took():
        start = time.perf_counter()
        assert relmap(*words)[0] == 0
        return time.perf_counter() - start

    assert min(took() for _ in range(4)) < 0.3


# Several tables ------------------------------------------------------------------------------

PENS = "author,word\nann,x\nann,x\nbo,z\nbo,y\nbo,z\n"
PAPERS = "paper,word,n\na,x,3\na,y,1\nb,y,4\nb,z,2\nc,z,5\nc,x,1\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "papers.csv").write_text(PAPERS)
    (tmp_path / "pens.csv").write_text(PENS)
    (tmp_path / "soils.csv").write_text("soil,oak,elm\nclay,4,1\nsand,1,3\n")
    return tmp_path


BOTH = "map papers.csv pens.csv --rows paper --columns word --rows author --columns word"


def test_tables_that_share_a_kind_come_onto_one_map(relmap, files):
    words = f"{BOTH} --weights size --variant cm,mm -o m.relmap -o m.csv"
    status, out, errors = relmap(*words.split())
    assert (status, errors) == (0, "")
    assert "Relations of paper (3), word (3), author (2)" in out
    m = load(files / "m.relmap")
    assert m.kinds == ("paper", "word", "author")
    tables = Relations(
        [
            read_table(files / "papers.csv", "paper", "word"),
            read_table(files / "pens.csv", "author", "word"),
        ]
    )
    model = CODE(variant=["CM", "MM"], weights="size", penalty="auto", random_state=0)
    assert model.fit(tables).map_.points["author"] == pytest.approx(m.points["author"])
    told = relmap("info", "m.relmap")[1]
    assert "kinds paper × word, variant CM, weight 0.4" in told
    assert "author × word, variant MM, weight 0.6" in told


def test_each_table_has_its_own_weight_column_or_all_have_one(relmap, files):
    status, out, _ = relmap(*BOTH.split(), "--weight", "n", "-o", "m.csv")
    assert status == 1  # the second file has no column n
    (files / "pens.csv").write_text(PENS.replace("word", "word,n").replace("x\n", "x,1\n")
                                    .replace("z\n", "z,1\n").replace("y\n", "y,1\n"))  # fmt: skip
    status, out, _ = relmap(*BOTH.split(), "--weight", "n", "-o", "m.csv")
    assert status == 0
    assert "paper × word: 16 counts" in out
    assert "author × word: 5 counts" in out


def test_files_of_the_same_events_are_one_table_and_wide_ones_are_not(relmap, files):
    (files / "more.csv").write_text(PAPERS)
    words = "map papers.csv more.csv --rows paper --columns word -o m.csv"
    assert "Table of paper (3) × word (3): 12 counts" in relmap(*words.split())[1]
    words = "map wide.csv soils.csv --kinds site:tree --kinds soil:tree -o m.csv"
    out = relmap(*words.split())[1]
    assert "Relations of site (3), tree (2), soil (2)" in out


def test_held_out_events_are_told_of(relmap, files):
    counts = np.random.default_rng(0).poisson(30, (6, 5)) * np.eye(6, 5, dtype=int) + 5
    lines = ["row," + ",".join("abcde"), *(f"r{i}," + ",".join(map(str, r))
                                           for i, r in enumerate(counts))]  # fmt: skip
    (files / "t.csv").write_text("\n".join(lines))
    status, out, errors = relmap("map", "t.csv", "--held-out", "0.1", "-o", "m.csv")
    assert (status, errors) == (0, "")
    assert "Held out 0.1 of the events, 5 times: log-likelihood per event -" in out
    assert float(out.split("against")[0].split()[-1]) > 0


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (f"{BOTH} --rows site", 2, "--rows is given 3 times for 2 inputs"),
        (f"{BOTH} --model ca", 2, "--model ca is for one table; the inputs are 2"),
        (f"{BOTH} --apart", 2, "--apart is for one table"),
        (f"{BOTH} --weights 1", 1, "one number for each table (2); got 1"),
        (f"{BOTH} --weights 1,-2", 2, "not equal, size or numbers above 0"),
        (f"{BOTH} --variant CM,XX", 2, "'XX' is not one of CM"),
        (f"{BOTH} --variant CM,CM,CM", 1, "one for each table (2); got 3"),
        ("map wide.csv --kinds tree", 2, "'tree' is not of the form ROW:COLUMN"),
        ("map wide.csv --held-out 0.9", 2, "0.9 is not in the range"),
        ("map wide.csv --held-out 0.1 --model ca", 2, "--held-out is for --model code"),
    ],
)
def test_what_does_not_fit_several_tables_is_refused(relmap, files, words, status, message):
    found, _, errors = relmap(*words.split(), "-o", "m.csv")
    assert found == status
    assert message in errors
    assert errors.count("\n") == 1
    assert not (files / "m.csv").exists()


def test_on_a_terminal_copies_of_a_model_share_the_bar(relmap, files):
    """There the model holds a progress bar, which no copy can copy."""
    script = shutil.which("script")
    if script is None:
        pytest.skip("no program to stand for a terminal")
    command = COMMAND if COMMAND.exists() else f"{sys.executable} -m relmap"
    for words in ("map wide.csv --held-out 0.3", "map wide.csv --apart"):
        done = subprocess.run(
            [script, "-qec", f"{command} {words} -o m.csv", "/dev/null"],
            cwd=files, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        assert "wrote m.csv" in done.stdout


def test_settings_may_be_true_or_false(relmap, files):
    assert relmap("map", "wide.csv", "--set", "self_pairs=false", "-o", "m.csv")[0] == 0
