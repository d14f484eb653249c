"""Pages: one HTML file each, which needs no network and knows nothing of what it is about.

shell      `Page` and its text; what the policy of a page allows
sections   `Section`, `Tile` and `Script`: each section names its scripts and its data
parts      what sections are made of: tables, places of figures, text to copy, numbers in words
figures    bokeh figures in the style of pages, and how they get into one
map        rows as points, coloured, found, selected and compared
texts      texts of users, cut and harmless
payload    data as JSON that cannot become markup; arrays in few bytes
report     what users hold: `save`, and what a notebook shows
stages     a progress bar over the stages of a long report
js/        core in every page; figures, map, table and copy where a section needs them

A new page, from a table of counts:

    source = ColumnDataSource({"word": ["sea", "sun"], "count": [7, 5]})
    bars = figures.blank(300, "counts", x_range=["sea", "sun"])
    bars.vbar("word", top="count", source=source, color=MAIN, width=0.8)
    body = parts.table(["word", "count#"], [("sea", 7), ("sun", 5)], "words")
    body += parts.place("counts", "How often each word is used.")
    words = Section("words", "The words", "Words", "Most are of the sea.", body, {"counts": bars},
                    tile=Tile("2", "words"), in_short=True)
    text = shell.html(Page("A letter", "12 words", [words]))

Text that comes from data goes through `Markup.format`, which escapes it; `parts` and `sections` do.
What holds for every page (hostile names, the policy, dark, keyboard, phone, print) is tested in
tests/report/page, once.
"""
