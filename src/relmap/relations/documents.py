"""Texts to counts of words, by scikit-learn's `CountVectorizer`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from scipy import sparse

from relmap.errors import InputError


def count_words(
    texts: Iterable[str], names: Iterable[Any] | None, settings: Mapping[str, Any]
) -> tuple[sparse.csr_array, list[Any] | None, list[str]]:
    """Count the words of texts: the counts, the names of the texts and the words.

    A mapping from names to texts and a pandas Series bring their own names; `names` replaces
    them. A text without words is an empty row.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    known, documents = _texts(texts)
    names = known if names is None else list(names)
    _check_settings(settings, CountVectorizer().get_params())
    vectorizer = CountVectorizer(**settings)
    try:
        counts = vectorizer.fit_transform(documents)
    except ValueError as error:
        raise InputError(
            f"no words could be counted in {len(documents):,} texts: {error}. "
            "Look at the texts and at the settings of CountVectorizer."
        ) from None
    return sparse.csr_array(counts), names, vectorizer.get_feature_names_out().tolist()


def _texts(given: Any) -> tuple[list[Any] | None, list[str]]:
    """Return the texts and the names they bring along."""
    if isinstance(given, (str, bytes)):
        raise InputError(
            "texts must be a list with one string per document; got a single string. "
            "Pass [text], or text.splitlines() if every line is a document."
        )
    names = list(given) if isinstance(given, Mapping) else _index(given)
    texts = _listed(given.values() if isinstance(given, Mapping) else given)
    if not texts:
        raise InputError("texts must hold at least one document; got none.")
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            which = f"number {position + 1}" if names is None else repr(names[position])
            raise InputError(
                f"every document must be a string; document {which} is {text!r} "
                f"({type(text).__name__}). Leave it out or use ''."
            )
    return names, texts


def _index(texts: Any) -> list[Any] | None:
    """Return the index of a pandas Series; lists have an `index` too, but it is a method."""
    index = getattr(texts, "index", None)
    return None if index is None or callable(index) else list(index)


def _listed(texts: Any) -> list[Any]:
    if not isinstance(texts, Iterable):
        raise InputError(f"texts must be a list of strings; got a {type(texts).__name__}.")
    return list(texts)


def _check_settings(settings: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for setting in settings:
        if setting not in known:
            close = difflib.get_close_matches(setting, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise InputError(
                f"CountVectorizer has no setting {setting!r}; it has {', '.join(known)}.{hint}"
            )
