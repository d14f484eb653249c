"""What is in the Axes of a figure: its texts, arrows and curves."""

import numpy as np
from matplotlib.text import Annotation


def texts(ax):
    return [text.get_text().strip() for text in ax.texts if text.get_text()]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def arrows(ax):
    return [child for child in ax.get_children() if isinstance(child, Annotation)]


def curves(ax):
    """Lines of the picture that have points, as arrays (m, 2)."""
    return [line.get_xydata() for line in ax.lines if len(line.get_xydata()) > 0]


def circle_of(rng, d):
    """Correlations of d variables with 3 components."""
    C = rng.standard_normal((d, 3))
    return C / np.linalg.norm(C, axis=1, keepdims=True)
