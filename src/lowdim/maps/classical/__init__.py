"""Classical multidimensional scaling."""
