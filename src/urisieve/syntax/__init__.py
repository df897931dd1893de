"""The grammars of RFC 3986 and RFC 3987, and what follows from them alone: no options, no rules of schemes."""
