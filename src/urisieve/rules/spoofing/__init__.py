"""Names and addresses that pass for others: the mechanisms of UTS 39, and where urisieve looks for them."""
