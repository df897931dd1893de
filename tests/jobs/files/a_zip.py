"""A zip in memory, with what could not be read."""

import io
import zipfile

from urisieve import Tally, extract_blocks

held = io.BytesIO()
with zipfile.ZipFile(held, "w") as archive:
    archive.writestr("a.txt", "see http://a.example/")
    archive.writestr("b/c.csv", "id,url\n1,http://b.example/\n")
tally = Tally()
print([(record.source, record.uri) for record in extract_blocks("x.zip", held.getvalue(), tally=tally)])
# prints:
# [('x.zip!a.txt', 'http://a.example/'), ('x.zip!b/c.csv', 'http://b.example/')]
