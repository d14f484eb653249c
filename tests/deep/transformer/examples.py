"""Small models, and a text that they learn soon."""

TINY = {"n_layers": 1, "n_heads": 2, "width": 16, "random_state": 0}
TEXT = "the cat sat on the mat. the dog sat on the cat. " * 6
