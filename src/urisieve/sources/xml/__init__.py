"""XML as documents."""
