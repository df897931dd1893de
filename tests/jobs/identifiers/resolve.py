"""References made absolute by the address of their page, with the white space that pages have around them."""

from urisieve import normalize, resolve

for reference in ("../g", "?y", " #s\n", "//b.example", "mailto:a@b.example"):
    print(normalize(resolve("http://a.example/b/c/d;p?q", reference)))
print(resolve("http://a.example/", "http://[", default=None))
# prints:
# http://a.example/b/g
# http://a.example/b/c/d;p?y
# http://a.example/b/c/d;p?q#s
# http://b.example/
# mailto:a@b.example
# None
