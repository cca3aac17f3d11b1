"""Runs scikit-learn's own tests with the twins in the place of its estimators, a plugin of pytest:

    cd python/tests; python -m pytest -p upstream --pyargs sklearn.svm.tests.test_svm

What does not pass, and why, is in twins.md in the folder above; how many of each suite pass at least, in upstream.json.
"""

import sys


def pytest_configure():
    """Put the twins in the place of scikit-learn's estimators, before modules of tests import them."""
    from sklearn import decomposition, kernel_approximation, kernel_ridge, linear_model, svm

    import fenchel.sklearn as twins
    from fenchel.sklearn._common import original

    for name in twins.__all__:
        original(name)  # which checks parameters, and is not to be found later
        for module in (svm, linear_model, decomposition, kernel_ridge, kernel_approximation):
            if hasattr(module, name):
                old = getattr(module, name)
                for place in (module, *([sys.modules[old.__module__]] if isinstance(old, type) else [])):  # what is no twin keeps calling its own functions
                    setattr(place, name, getattr(twins, name))
