"""scikit-learn's own checks of all estimators."""

import pytest

pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import fenchel  # noqa: E402
import fenchel.sklearn as twins  # noqa: E402

ESTIMATORS = [fenchel.LinearClassifier(), fenchel.LinearRegressor(), fenchel.KernelClassifier(), fenchel.KernelRegressor(), fenchel.OneClass(), fenchel.PCA(), fenchel.IncrementalPCA()]


@parametrize_with_checks(ESTIMATORS)
def test_check_estimator(estimator, check):
    check(estimator)


@parametrize_with_checks([getattr(twins, name)() for name in twins.__all__])
def test_check_twin(estimator, check):
    check(estimator)
