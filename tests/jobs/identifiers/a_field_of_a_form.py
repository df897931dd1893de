"""A field of a form that takes links of the web, and says what is wrong with others."""

from urisieve import Options, check, is_valid

WEB = Options(schemes={"http", "https"})
for text in (" HTTP://A.example ", "javascript:alert(1)", "http://a.example:80x/", ""):
    found = check(text, options=WEB)
    print(is_valid(text, options=WEB), found.uri if found else found.reason)
# prints:
# True http://a.example/
# False scheme-not-wanted
# False bad-port
# False no-scheme
