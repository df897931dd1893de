"""A target to which a user is sent on: only if it is on the own site, whatever it looks like."""

from urisieve import Options, check, resolve

HERE = "https://shop.example/login"
for target in (
    "/cart?x=1",
    "//evil.example/",
    "https://shop.example@evil.example/",
    "javascript:alert(1)",
    "/\\evil.example",
):
    found = check(resolve(HERE, target, default=target), options=Options(schemes={"https"}))
    print(found.uri if found and found.host == "shop.example" else "/")
# prints:
# https://shop.example/cart?x=1
# /
# /
# /
# /
