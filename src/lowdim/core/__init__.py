"""What every method stands on: rows in blocks, the loop, the door, the files. Knows no method."""
