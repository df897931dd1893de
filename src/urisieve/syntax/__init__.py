"""The grammars of RFC 3986, RFC 3987 and the URN RFCs, and functions that need them alone: no options, no schemes."""
