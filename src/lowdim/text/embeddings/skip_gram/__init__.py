"""Skip-gram, exactly: words predict their contexts."""

from lowdim.text.embeddings.skip_gram.estimator import SkipGram as SkipGram
