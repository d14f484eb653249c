"""Pages: one HTML file each, which needs no network."""
