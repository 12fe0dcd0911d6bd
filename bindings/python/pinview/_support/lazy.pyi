import asyncio as asyncio
import base64 as base64
import dataclasses as dataclasses
import decimal as decimal
import difflib as difflib
import inspect as inspect
import json as json
import logging as logging
import plistlib as plistlib
import re as re
import uuid as uuid
from concurrent import futures
from typing import Any

from .. import paging as paging
from .. import snapshots as snapshots
from .._commands import watch_app as watch_app
from .._contexts import stopping as stopping
from .._declarations import modelling as declarations
from .._ffi import foreign as foreign
from .._stores import metadata as metadata
from . import arrays as arrays
from . import journal_picture as journal_picture
from . import near_misses as near_misses
from . import showing as showing

# Not a requirement of the package, so that type checkers may not find it.
numpy: Any

__all__ = [
    "arrays",
    "asyncio",
    "base64",
    "dataclasses",
    "decimal",
    "declarations",
    "difflib",
    "foreign",
    "futures",
    "inspect",
    "journal_picture",
    "json",
    "logging",
    "metadata",
    "near_misses",
    "numpy",
    "paging",
    "plistlib",
    "re",
    "showing",
    "snapshots",
    "stopping",
    "uuid",
    "watch_app",
]
