"""Where the data are: the folder shared/data beside the repository, or in RELMAP_SHARED."""

import os
import sys
from pathlib import Path


def data(name: str) -> Path:
    """Return the folder of one data set, or end with one line that says what is missing."""
    beside = Path(__file__).resolve().parents[2].parent / "shared"
    folder = Path(os.environ.get("RELMAP_SHARED", beside)) / "data" / name
    if not folder.is_dir():
        sys.exit(f"no data in {folder}; RELMAP_SHARED may name another place of the folder shared.")
    return folder
