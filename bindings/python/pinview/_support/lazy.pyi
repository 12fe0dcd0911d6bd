import asyncio as asyncio
import base64 as base64
import dataclasses as dataclasses
import decimal as decimal
import difflib as difflib
import inspect as inspect
import json as json
import uuid as uuid
from concurrent import futures

from .._declarations import modelling as declarations
from . import journal_picture as journal_picture

__all__ = [
    "asyncio",
    "base64",
    "dataclasses",
    "decimal",
    "declarations",
    "difflib",
    "futures",
    "inspect",
    "journal_picture",
    "json",
    "uuid",
]
