"""The rules of schemes and URN namespaces: a row each, built in, of plug-ins, or brought along by options."""
