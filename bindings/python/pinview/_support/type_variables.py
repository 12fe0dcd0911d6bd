"""Type variables of the package. Type checkers read `type_variables.pyi`, which uses features of
typing that older versions of Python lack.

At run time they stand for nothing, so that importing the package does not import `typing`. Classes
that inherit from typing.Generic, which demands a real variable, take it from `generic`.
"""

Class = Given = Implementation = ObjectT = ObjectT_co = Result = object
