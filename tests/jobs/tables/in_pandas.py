"""Keys of a column of pandas, at the right rows of a frame that was filtered and sorted."""

import pandas as pd

from urisieve import new_secret
from urisieve.arrow import key_array, normalize_array

frame = pd.DataFrame({"id": [1, 2, 3, 4], "url": ["HTTP://A.example", "http://b.example/", None, "http://a.example/"]})
frame = frame.query("id != 2").sort_values(by="id", ascending=False)
frame["uri"] = normalize_array(frame["url"])
frame["key"] = key_array(frame["url"], secret=new_secret())
print(frame.dropna().drop_duplicates("key")["uri"].to_dict())
# prints:
# {3: 'http://a.example/'}
