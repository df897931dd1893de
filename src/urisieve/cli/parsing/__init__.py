"""What commands accept, and how it is parsed and explained: the same for all of them."""
