import Foundation
import PinviewFoundation
import PinviewTyped

/// The Swift types that People.json names.
enum Status: String, AttributeValue, CaseIterable, Codable { case open, closed }

struct Address: CodableAttributeValue, Equatable {
    var street: String
    var number: Int
}
