"""Model files and checkpoints: a zip of arrays and one JSON document, read without trust.

    value  -- encode -->  JSON and arrays  -- write -->  file
    file   -- read  --->  JSON and arrays  -- decode ->  the same value, bit for bit

Some values are JSON as they are (None, bool, int, float, str, list, dict), dense arrays are
entries of the zip (.npy), weights of a network one together (.safetensors), and every other kind
of value is taken apart into named fields of simpler values, and put together again.
docs/file_format.md has the details.

    files                                  save and load models, and the state of a fit
    document                               the JSON document: header and tree
    values                                 any value by its kind
    plain, sparse, generators, models,
    objects                                the kinds
    tensors                                weights of networks
    strict_json                            JSON without a doubt about its meaning
    archive                                the zip

A file may come from anywhere. Reading executes nothing, unpickles nothing and imports nothing
outside lowdim; every size is held against the bytes that are there before memory is taken.
"""

from lowdim.core.persistence import generators, models, objects, plain, sparse  # noqa: F401  they register
from lowdim.core.persistence.document import FORMAT
from lowdim.core.persistence.files import (
    LoadError,
    load,
    read_state,
    save_model,
    saved_size,
    write_state,
)
from lowdim.core.persistence.objects import PlainObject
from lowdim.core.persistence.tensors import Tensors

__all__ = [
    "FORMAT",
    "LoadError",
    "PlainObject",
    "Tensors",
    "load",
    "read_state",
    "save_model",
    "saved_size",
    "write_state",
]
