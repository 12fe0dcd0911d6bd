import sys

if sys.implementation.name != "cpython":
    raise ImportError(
        f"pinview needs CPython, and this is {sys.implementation.name}: objects are released by counting references and after "
        "collections of garbage, which other implementations do not report."
    )
