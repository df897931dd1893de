"""The rules of schemes and URN namespaces, one row for each: built in, of plug-ins, or of `Options.rules`."""
