import asyncio as asyncio
import base64 as base64
import dataclasses as dataclasses
import decimal as decimal
import inspect as inspect
import json as json
import uuid as uuid
from concurrent import futures

__all__ = ["asyncio", "base64", "dataclasses", "decimal", "futures", "inspect", "json", "uuid"]
