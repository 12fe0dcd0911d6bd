"""`python -m pinview`: looks into stores and at what holds their journals."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ._commands import journal, migrate, stores, stubs, watch


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] == "migrate":
        return migrate.main(given[1:])
    if given and given[0] in stores.COMMANDS:
        return stores.main(given)
    if given[:1] == ["stubs"]:
        return stubs.main(given[1:])
    if given[:1] == ["watch"]:
        return watch.main(given[1:])
    return journal.main(given[1:] if given[:1] == ["journal"] else given)


if __name__ == "__main__":
    sys.exit(main())
