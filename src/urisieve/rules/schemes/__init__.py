"""The rows of schemes, by field; each field is loaded when a scheme of it first comes up.

`urisieve.rules.registry.registered_schemes` says which schemes are registered; the rows say what follows from a
scheme's own RFC. A rule merges only what that RFC calls the same.
"""
