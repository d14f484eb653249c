"""What one looks at after a fit: tables and figures, made from plain arrays."""
