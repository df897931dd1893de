"""A page of a text in which each link of the web can be clicked, and nothing else."""

from html import escape

from urisieve import Options, extract

text = "See <http://a.example/?a=1&b=2> or javascript:alert(1) & co."
page, at = "", 0
for record in extract(text, options=Options(schemes="web")):
    page += f'{escape(text[at : record.start])}<a href="{escape(record.uri)}">{escape(record.raw)}</a>'
    at = record.end
print(page + escape(text[at:]))
# prints:
# See &lt;<a href="http://a.example/?a=1&amp;b=2">http://a.example/?a=1&amp;b=2</a>&gt; or javascript:alert(1) &amp; co.
