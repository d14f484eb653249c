"""Matrix completion: a matrix with holes is explained by few factors of its rows and columns."""
