"""Topics: words that documents have in common, and how much each document has of each."""
