public import FoundationEssentials
import PinviewModel

extension Date: PredicateArgument {}
extension UUID: PredicateArgument {}
