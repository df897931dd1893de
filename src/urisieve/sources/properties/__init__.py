"""Properties in content lines: calendars, cards, LDIF."""
