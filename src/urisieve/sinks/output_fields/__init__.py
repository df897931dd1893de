"""The fields of records that an output may hold: one table of them, lines and templates of them, defanged values."""
