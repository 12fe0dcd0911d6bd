from dataclasses import dataclass as record
from dataclasses import field

__all__ = ["field", "record"]
