"""Links in a column of Polars."""

import polars as pl

from urisieve.arrow import Extractor, normalize_array

frame = pl.DataFrame({"id": [7, 8], "url": ["HTTP://A.example", None], "text": ["see http://b.example/x", "nothing"]})
print(frame.with_columns(uri=normalize_array(frame["url"]))["uri"].to_list())
print(pl.DataFrame(Extractor(text="text", keep=["id"], columns=["uri"]).reader(frame)).rows())
# prints:
# ['http://a.example/', None]
# [(7, 'http://b.example/x')]
