"""Texts become counts of their words, under their names."""

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relmap.errors import InputError
from relmap.relations import Table

TEXTS = ["tea and tea", "", "milk, tea"]


def test_words_are_counted_and_empty_texts_kept():
    table = Table.from_documents(TEXTS, ["a", "b", "c"])
    assert table.columns == ["and", "milk", "tea"]
    assert table.counts.toarray().tolist() == [[1, 0, 2], [0, 0, 0], [0, 1, 1]]
    assert table.empty_rows == ("b",)
    assert (table.row_kind, table.column_kind) == ("document", "word")


words = st.lists(st.sampled_from(["ab", "cd", "ef", "gh"]), max_size=8)


@settings(deadline=None)
@given(st.lists(words, min_size=1, max_size=6).filter(any))
def test_every_word_counts_once_for_every_time(documents):
    table = Table.from_documents([" ".join(document) for document in documents])
    assert table.row_totals.tolist() == [len(document) for document in documents]
    for word, total in zip(table.columns, table.column_totals, strict=True):
        assert total == sum(document.count(word) for document in documents)


def test_names_come_from_the_texts_unless_given():
    assert Table.from_documents(TEXTS).rows == [0, 1, 2]
    assert Table.from_documents({"x": "tea", "y": "milk"}).rows == ["x", "y"]
    assert Table.from_documents(pd.Series(["tea", "milk"], index=["x", "y"])).rows == ["x", "y"]
    assert Table.from_documents(pl.Series(["tea", "milk"]), ["p", "q"]).rows == ["p", "q"]
    assert Table.from_documents({"x": "tea", "y": "milk"}, ["p", "q"]).rows == ["p", "q"]
    assert Table.from_documents(text for text in TEXTS).shape == (3, 3)


def test_settings_go_to_the_counter():
    assert Table.from_documents(TEXTS, stop_words=["and"]).columns == ["milk", "tea"]
    assert Table.from_documents(TEXTS, binary=True).total == 4


@pytest.mark.parametrize(
    ("texts", "settings", "message"),
    [
        ("tea and milk", {}, "a single string. Pass \\[text\\]"),
        (b"tea", {}, "a single string"),
        ([], {}, "at least one document; got none"),
        (5, {}, "a list of strings; got a int"),
        (["tea", None], {}, "document number 2 is None"),
        ({"x": "tea", "y": 3.5}, {}, "document 'y' is 3.5"),
        (["", "  "], {}, "no words could be counted in 2 texts: empty vocabulary"),
        (["tea"], {"stopwords": "english"}, "no setting 'stopwords'.*Did you mean 'stop_words'"),
        (["tea", "milk"], {"min_df": 2}, "no words could be counted"),
        (["tea", "milk"], {"min_df": -2}, "no words could be counted.*min_df"),
    ],
)
def test_what_is_no_text_is_refused(texts, settings, message):
    with pytest.raises(InputError, match=message):
        Table.from_documents(texts, **settings)


def test_as_many_names_as_texts():
    with pytest.raises(InputError, match="2 document names for 3 document entries"):
        Table.from_documents(TEXTS, ["a", "b"])
