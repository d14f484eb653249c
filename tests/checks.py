"""scikit-learn's checks, those of a model in one test: one that fails does not hide the others."""

import unittest

from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

MAY_BE_SKIPPED = {
    "check_array_api_input",  # unless SCIPY_ARRAY_API is set
    "check_classifiers_multilabel_output_format_decision_function",  # who gives probabilities
}


def assert_checks_pass(model, left_out=frozenset()):
    """Run what `check_estimator` runs, but for checks that are left out by name."""
    failed = []
    for _, check in estimator_checks_generator(model):
        name = check.func.__name__
        if name not in left_out:
            try:
                run_check(check, clone(model))
            except Exception as error:
                error.add_note(f"in {name}, {check.keywords}")
                failed.append(error)
    if failed:
        raise ExceptionGroup(f"scikit-learn's checks of {model}", failed)


def run_check(check, *arguments):
    """Run a check of scikit-learn, which is not skipped: that would go unseen among the others."""
    try:
        check(*arguments)
    except unittest.SkipTest as skipped:
        if getattr(check, "func", check).__name__ not in MAY_BE_SKIPPED:
            raise AssertionError(f"scikit-learn left it out: {skipped}") from skipped
