"""What networks inherit that predict classes: how y is read, and what outputs mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted

from lowdim.deep.targets import decided, labels, probabilities


class Classifier(ClassifierMixin):
    """Stands to the left of the network, which gives `_output(X)`: probabilities of outputs."""

    classes_: np.ndarray
    n_outputs_: int
    out_activation_: str
    _output: Any

    def _know(self, classes: Any, y: Any) -> None:
        """Learn the classes of all calls of `partial_fit` from the first one."""
        known = getattr(self, "classes_", None)
        if classes is None:
            if known is None and np.ndim(y) < 2:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            return
        found = unique_labels(classes)
        if known is not None and not np.array_equal(found, known):
            raise ValueError(
                f"`classes={classes}` is not the same as on last call to partial_fit, was: {known}"
            )
        self.classes_ = found

    def _targets(self, y: Any, n: int, keep: bool, more: bool = False) -> np.ndarray:
        known = getattr(self, "classes_", None) if keep or more else None
        activation = getattr(self, "out_activation_", None) if keep else None
        before = known if keep and getattr(self, "warm_start", False) else None
        if before is not None and np.ndim(y) == 1:
            found = unique_labels(y)
            if set(found) != set(before):
                raise ValueError(
                    "warm_start can only be used where `y` has the same classes as in the "
                    f"previous call to fit. Previously got {before}, `y` has {found}"
                )
        found = labels(type(self).__name__, y, n, known, activation)
        self.classes_, self.n_outputs_ = found.classes, found.n_outputs
        self.out_activation_ = found.activation
        return found.encoded

    def _agreement(self, output: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
        if self.out_activation_ == "softmax":
            right = np.argmax(output, axis=1) == (y if y.ndim == 1 else np.argmax(y, axis=1))
        else:
            right = ((output > 0.5) == (y > 0.5)).all(axis=1)
        return float(np.average(right, weights=weight))

    def predict(self, X):
        """The most probable class of each row, or its labels: columns of 0 and 1."""
        check_is_fitted(self)
        output = np.asarray(self._output(X))
        return decided(output, self.classes_, self.out_activation_)

    def predict_proba(self, X):
        """Probabilities of all classes, in the order of `classes_`."""
        check_is_fitted(self)
        return probabilities(np.asarray(self._output(X)), self.classes_)

    def predict_log_proba(self, X):
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
