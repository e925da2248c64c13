"""What a map is worth, in numbers; on plain arrays and on maps alike.

Whether the map keeps what the relation says: `conformity`, `mean_rank`, `authorship`,
`explained_information`. Whether it keeps classes that it was not told of:
`nearest_neighbour_error`, `selected_words_error`, `neighbour_purity`, `class_words`;
`normalised_purity` makes such numbers of several tasks comparable.

The points of rows and columns are two arrays in the order of the relation, with NaN for what is
not placed; or one `Map`, on which things are found by their names.
"""

from relmap.measures.classes import nearest_neighbour_error, selected_words_error
from relmap.measures.closeness import conformity, mean_rank
from relmap.measures.information import explained_information
from relmap.measures.near_columns import authorship, class_words
from relmap.measures.purity import neighbour_purity, normalised_purity

__all__ = [
    "authorship",
    "class_words",
    "conformity",
    "explained_information",
    "mean_rank",
    "nearest_neighbour_error",
    "neighbour_purity",
    "normalised_purity",
    "selected_words_error",
]
