@_exported import PinviewModel
@_exported import PinviewPredicates
