"""Documents to be read again and again, a chunk of them in memory.

documents.py   `Corpus`: what users hold; `Source`: what gives documents, part by part
opening.py     `corpus`: a source for whatever holds documents
files.py       a folder, a text file
lines.py       a file with one object of JSON in each line
tables.py      a column of a table: files and data frames
memory.py      lists, series, Dask bags, callables
"""

from lowdim.text.corpus.documents import Corpus as Corpus
from lowdim.text.corpus.opening import corpus as corpus
