from .type_variables import ObjectT as ObjectT
