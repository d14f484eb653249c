"""Tables in files: what the command line and the pages read."""

from lowdim.tables.files import CsvFormat, Table, open_table

__all__ = ["CsvFormat", "Table", "open_table"]
