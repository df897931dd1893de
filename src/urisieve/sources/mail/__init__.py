"""Mail: mailboxes, messages, their parts and fields."""
