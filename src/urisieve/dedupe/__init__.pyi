"""Types of `urisieve.dedupe`: its public names."""

from urisieve.dedupe.signature import check_key_signature, key_signature

__all__ = ["check_key_signature", "key_signature"]
