"""`lowdim map`: one page of maps of a table, linked with each other.

kinds       the kinds of maps, and what is asked of them
findings    the maps and what they keep, as plain data; with groups, keeping, changes
says        what may be read from a map and what not
sections    what the page says; with figures and payload
page        all of it in the shell of `lowdim.report.page`
script      the Python script that makes the maps again
report      `map_table` and what it returns
js/         points on canvases, and what links them
"""

from lowdim.report.maps.report import MapReport, map_table

__all__ = ["MapReport", "map_table"]
