from .forward import ObjectT as ObjectT
