"""Facts about links that represent another identifier, a row each: links of resolvers, and of redirectors."""
