"""What a map keeps of its rows: ranks of neighbours, distances, and figures made of them."""
