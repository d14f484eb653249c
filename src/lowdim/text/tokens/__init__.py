"""Text as numbers: cut into words once, rare words out, 4 bytes for each word that is left."""

from lowdim.text.tokens.pair_counts import pair_counts as pair_counts
from lowdim.text.tokens.reading import read_tokens as read_tokens
from lowdim.text.tokens.tokens import Tokens as Tokens
