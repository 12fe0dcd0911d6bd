import asyncio as asyncio
import base64 as base64
import dataclasses as dataclasses
import datetime as datetime
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

from .. import asynchronous as asynchronous
from .. import columns as columns
from .. import difference as difference
from .. import examining as examining
from .. import expressions as expressions
from .. import history as history
from .. import journal as journal
from .. import notifications as notifications
from .. import paging as paging
from .. import relationships as relationships
from .. import snapshots as snapshots
from .. import sql as sql
from .. import stages as stages
from .. import undo as undo
from .._commands import watch_app as watch_app
from .._contexts import commits as commits
from .._contexts import main_queue as main_queue
from .._contexts import stopping as stopping
from .._declarations import modelling as declarations
from .._ffi import dates as dates
from .._ffi import foreign as foreign
from .._objects import composites as composites
from .._objects import hook_callbacks as hook_callbacks
from .._objects import members as members
from .._objects import transforming as transforming
from .._requests import batch as batch
from .._requests import templates as templates
from .._stores import exporting as exporting
from .._stores import metadata as metadata
from . import arrays as arrays
from . import journal_picture as journal_picture
from . import near_misses as near_misses
from . import showing as showing

# Not a requirement of the package, so that type checkers may not find it.
numpy: Any

def module(name: str) -> Any: ...

__all__ = [
    "arrays",
    "asynchronous",
    "asyncio",
    "base64",
    "batch",
    "columns",
    "commits",
    "composites",
    "dataclasses",
    "dates",
    "datetime",
    "decimal",
    "declarations",
    "difference",
    "difflib",
    "examining",
    "exporting",
    "expressions",
    "foreign",
    "futures",
    "history",
    "hook_callbacks",
    "inspect",
    "journal",
    "journal_picture",
    "json",
    "logging",
    "main_queue",
    "members",
    "metadata",
    "near_misses",
    "notifications",
    "numpy",
    "paging",
    "plistlib",
    "re",
    "relationships",
    "showing",
    "snapshots",
    "sql",
    "stages",
    "stopping",
    "templates",
    "transforming",
    "undo",
    "uuid",
    "watch_app",
]
