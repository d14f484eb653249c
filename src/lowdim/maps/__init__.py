"""Maps: rows as points of a plane whose distances or neighbours are those of the rows."""
