"""A sample of the tests, for those of every change: FENCHEL_TEST_SAMPLE=10 runs every tenth, and all with the mark every_change."""
import os


def pytest_collection_modifyitems(config, items):
    every = int(os.environ.get("FENCHEL_TEST_SAMPLE", "1"))
    left = [item for k, item in enumerate(items) if k % every and not item.get_closest_marker("every_change")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for k, item in enumerate(items) if not k % every or item.get_closest_marker("every_change")]
