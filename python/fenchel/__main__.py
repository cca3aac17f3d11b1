"""``python -m fenchel`` is the command ``fenchel``."""

from ._program import main

main()
