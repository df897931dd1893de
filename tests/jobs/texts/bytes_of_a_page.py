"""The links of bytes that came from anywhere, such as a page that was fetched."""

from urisieve import extract_blocks, extract_html

page = b'<a href="../x?a=1&amp;b=2">x</a> and http://b.example/ in the text'
print([record.uri for record in extract_html(page, base="http://a.example/dir/page#top")])
print([record.uri for record in extract_blocks("page.html", [page[:12], page[12:]])])
# prints:
# ['http://b.example/', 'http://a.example/x?a=1&b=2']
# ['http://b.example/']
