"""What a notebook shows of a search: a table in which nothing can be clicked."""

from urisieve import extract_batches

(batch,) = extract_batches(["see http://joe:secret@evil.example/<b>"])
table = batch._repr_html_()
print("hxxp://joe:***@evil[.]example/" in table, "secret" in table)
# prints:
# True False
