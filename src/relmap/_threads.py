"""Threads: how many there are, and blocks of work that give the same answer with any number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import TypeVar

import scipy.linalg  # noqa: F401 (loads SciPy's BLAS, so that the controller below finds it)
from threadpoolctl import ThreadpoolController

from relmap.errors import InputError

Item = TypeVar("Item")


def available() -> int:
    """Return how many threads may run: RELMAP_THREADS, or the cores this process may use."""
    wanted = os.environ.get("RELMAP_THREADS")
    if not wanted:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not wanted.isdecimal() or int(wanted) < 1:
        raise InputError(f"RELMAP_THREADS must be a whole number of at least 1; got {wanted!r}.")
    return int(wanted)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool that is kept: starting threads costs as much as a small field."""
    return ThreadPoolExecutor(threads, thread_name_prefix="relmap")


if hasattr(os, "register_at_fork"):  # a forked child has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


@contextmanager
def single_blas() -> Iterator[None]:
    """Keep BLAS on one thread: its sums then do not depend on the number of cores."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


_here = threading.local()


def each(work: Callable[[Item], None], items: Sequence[Item]) -> None:
    """Do independent pieces of work, on as many threads as may run.

    Work that is itself cut into pieces does these one after the other: its threads are busy.
    """
    threads = min(available(), len(items))
    if threads <= 1 or getattr(_here, "busy", False):
        with nullcontext() if getattr(_here, "busy", False) else single_blas():
            for item in items:
                work(item)
        return

    def alone(item: Item) -> None:
        _here.busy = True
        try:
            work(item)
        finally:
            _here.busy = False

    with single_blas():
        list(_pool(threads).map(alone, items))
