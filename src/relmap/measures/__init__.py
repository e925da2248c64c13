"""What a map is worth, in numbers; on plain arrays and on maps alike.

`conformity` and `mean_rank` ask whether the map keeps what the relation holds close;
`nearest_neighbour_error` and `selected_words_error` ask whether it keeps classes that the map was
not told of.

The points of rows and columns are two arrays in the order of the relation, with NaN for what is
not placed; or one `Map`, on which things are found by their names.
"""

from relmap.measures.classes import nearest_neighbour_error, selected_words_error
from relmap.measures.closeness import conformity, mean_rank

__all__ = ["conformity", "mean_rank", "nearest_neighbour_error", "selected_words_error"]
