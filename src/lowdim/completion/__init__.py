"""Matrix completion: few factors of rows and columns explain a matrix with missing values."""
