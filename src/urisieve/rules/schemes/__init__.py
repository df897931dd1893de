"""The rows of schemes, a module for each field of use; a module is loaded when one of its schemes is first used.

`urisieve.rules.registry.registered_schemes` holds the registered schemes; a row holds the rules of a scheme's own RFC.
A rule merges only identifiers that this RFC calls equivalent.
"""
