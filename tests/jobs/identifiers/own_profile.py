"""Keys by a profile of one's own: which links count as the same."""

from urisieve import Options, Profile, key

profile = Profile(steps=["strip-www", "drop-fragment"], drop_params={"session", "ref"})
options = Options(merge=profile)
for text in ("http://www.a.example/x?ref=1&q=2#top", "http://a.example/x?q=2&session=9"):
    print(key(text, options=options))
# prints:
# http://a.example/x?q=2
# http://a.example/x?q=2
