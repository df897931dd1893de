"""Facts about links that stand for another identifier, a row each: links of resolvers, and of redirectors."""
