"""The rows of schemes and of URN namespaces, a module for each field of use.

Of schemes are `access`, `content`, `mail_and_news`, `messaging`, `names`, `packages` and `telephony`, each loaded when
one of its schemes is first used; `namespaces` has all those of namespaces, and is loaded when the first URN is judged.

`urisieve.rules.registry.registered_schemes` holds the registered schemes; a row has the rules of a scheme's RFC, or
of its own specification. A rule merges only identifiers that this text calls equivalent.
"""
