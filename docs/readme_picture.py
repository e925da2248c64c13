"""Draw the picture on the README's first screen."""

from pathlib import Path

from relmap import CODE, datasets

CODE(penalty="auto").fit(datasets.load_housetasks()).map_.figure(
    Path(__file__).parent / "images" / "housetasks.png",
    title="Who does what at home",
    size=(7.5, 6.0),
    dpi=120,
)
