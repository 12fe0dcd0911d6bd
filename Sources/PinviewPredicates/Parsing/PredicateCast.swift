import FoundationEssentials
import PinviewModel

/// `CAST("…", "NSDate")`: values of the types without literals, and conversions of computed values.
enum PredicateCast {
    // Looked up in a list: substring search would link the standard library's regular expressions,
    // over 1 MB.
    static let typeNames = ["NSDate", "NSDecimalNumber", "NSUUID", "NSData", "NSNumber", "NSString", "NSManagedObjectID"]

    enum Problem: Error, Sendable {
        case unknownType
        /// The associated value describes the text that was expected.
        case unreadable(String)
    }

    /// - Parameter literal: the text of the operand, if it is a literal string or number.
    static func expression(_ expression: PinviewExpression, literal: String?, type: String) throws(Problem) -> PinviewExpression {
        guard let text = literal else {
            guard let type = ExpressionType(rawValue: type) else {
                throw typeNames.contains(type) ? .unreadable("a string") : .unknownType
            }
            return .cast(expression, type)
        }
        switch type {
        case "NSString": return .constant(.string(text))
        case "NSDate":
            guard let seconds = Double(text) else { throw .unreadable("seconds since 2001-01-01 00:00 UTC") }
            return .constant(.date(Date(timeIntervalSinceReferenceDate: seconds)))
        case "NSDecimalNumber":
            guard let number = DecimalNumber(text) else { throw .unreadable("a number of up to 38 digits") }
            return .constant(.decimal(number))
        case "NSUUID":
            guard let uuid = UUID(uuidString: text) else { throw .unreadable("a UUID such as 6F9619FF-8B86-D011-B42D-00C04FC964FF") }
            return .constant(.uuid(uuid))
        case "NSData":
            guard let bytes = HexadecimalText.bytes(from: text) else { throw .unreadable("pairs of hexadecimal digits") }
            return .constant(.binary(bytes))
        case "NSNumber":
            guard let number = Double(text) else { throw .unreadable("a number, inf, -inf or nan") }
            return .constant(.double(number))
        case "NSManagedObjectID":
            return .objectURI(text)
        default:
            throw .unknownType
        }
    }
}
