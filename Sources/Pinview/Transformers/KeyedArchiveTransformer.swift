import FoundationEssentials
import PinviewModel

// Left out of the shared library for C, where values are what the column holds.
#if !PINVIEW_C_LIBRARY
    /// Core Data's default form of transformable attributes: keyed archives of numbers, Booleans,
    /// strings, data (`[UInt8]`), dates, UUIDs, decimals, arrays, sets and dictionaries. Property lists
    /// are read, too.
    ///
    ///     ValueTransformers.setTransformer(KeyedArchiveTransformer(), forName: "NSSecureUnarchiveFromData")
    ///
    /// No object is made of a class that an archive names; archives with objects of other classes are
    /// errors that name the class. Null inside an array or a dictionary is a nil `Any?`. URLs are read
    /// as strings; a set with members that cannot be in one is read as an array.
    public struct KeyedArchiveTransformer: PinviewValueTransformer {
        /// Creates a transformer.
        public init() {}

        /// What an archive or a property list contains.
        public func value(of bytes: [UInt8]) throws -> Any {
            let list: PropertyListValue
            do { list = try PropertyListValue(propertyList: bytes) } catch { throw Self.unreadable("it is not a property list (\(error))") }
            var reader = ArchiveReader(archive: try? KeyedArchive(list))
            let value = try reader.archive.map { try reader.value($0.contents, 0) } ?? reader.plain(list, 0)
            guard reader.archive?.isExhausted != true else { throw Self.unreadable("its objects are too many") }
            return boxed(value)
        }

        /// A keyed archive of a value.
        public func bytes(of value: Any) throws -> [UInt8] {
            var writer = ArchiveWriter()
            let root = try writer.add(value, 0)
            return PropertyListValue.dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$objects": .array(writer.objects),
                "$top": .dictionary(["root": root]),
            ]).binaryPropertyList()
        }

        fileprivate static let maximumDepth = 200

        fileprivate static func unreadable(_ reason: String) -> PinviewError {
            PinviewError(.invalidArgument, "The archive cannot be read: \(reason).")
        }
    }

    /// A value that may be nil, without another optional around one that is not.
    private func boxed(_ value: Any?) -> Any { value ?? Optional<Any>.none as Any }

    private struct ArchiveReader {
        let archive: KeyedArchive?
        /// Lists can contain one list many times, so that few bytes can describe very much.
        private var budget = 2_000_000

        init(archive: KeyedArchive?) { self.archive = archive }

        private mutating func spend(_ depth: Int) throws(PinviewError) {
            budget -= 1
            guard budget > 0, depth <= KeyedArchiveTransformer.maximumDepth else {
                throw KeyedArchiveTransformer.unreadable("its objects contain each other, or are too many")
            }
        }

        mutating func value(_ member: PropertyListValue?, _ depth: Int) throws(PinviewError) -> Any? {
            try spend(depth)
            guard let archive, let member else { return nil }
            if let scalar = archive.scalar(member) { return scalar.anyValue }
            guard let object = archive.object(member) else { return try plain(archive.value(member) ?? .null, depth) }
            switch object.className {
            case "NSNull": return nil
            case "NSArray", "NSMutableArray", "NSOrderedSet", "NSMutableOrderedSet": return try elements(member, archive, depth)
            case "NSSet", "NSMutableSet":
                let found = try elements(member, archive, depth)
                let hashable = found.compactMap { $0 as? AnyHashable }
                return hashable.count == found.count ? Set(hashable) as Any : found
            case "NSDictionary", "NSMutableDictionary":
                guard let entries = archive.entries(member) else { break }
                var names: [String: Any] = [:], others: [AnyHashable: Any] = [:]
                for entry in entries {
                    guard let key = try value(entry.key, depth + 1) as? AnyHashable else {
                        throw KeyedArchiveTransformer.unreadable("a dictionary has a key that cannot be one")
                    }
                    let held = boxed(try value(entry.value, depth + 1))
                    if let name = key.base as? String { names[name] = held }
                    others[key] = held
                }
                return names.count == others.count ? names as Any : others
            default: break
            }
            throw KeyedArchiveTransformer.unreadable("it has an object of the class \(object.className.quotedForPeople), or a damaged one")
        }

        private mutating func elements(
            _ member: PropertyListValue, _ archive: KeyedArchive, _ depth: Int
        ) throws(PinviewError) -> [Any] {
            var found: [Any] = []
            for each in archive.elements(member) ?? [] { found.append(boxed(try value(each, depth + 1))) }
            return found
        }

        /// What a property list has without being an archive.
        mutating func plain(_ list: PropertyListValue, _ depth: Int) throws(PinviewError) -> Any? {
            try spend(depth)
            switch list {
            case .null: return nil
            case .boolean(let flag): return flag
            case .integer(let number): return number
            case .unsigned(let number), .uid(let number): return number
            case .real(let number): return number
            case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
            case .data(let bytes): return bytes
            case .string(let text): return text
            case .array(let elements), .set(let elements):
                var found: [Any] = []
                for each in elements { found.append(boxed(try plain(each, depth + 1))) }
                return found
            case .dictionary(let members):
                var found: [String: Any] = [:]
                for (name, member) in members { found[name] = boxed(try plain(member, depth + 1)) }
                return found
            }
        }
    }

    private struct ArchiveWriter {
        private(set) var objects: [PropertyListValue] = [.string("$null")]
        private var classes: [String: PropertyListValue] = [:]

        mutating func add(_ value: Any, _ depth: Int) throws(PinviewError) -> PropertyListValue {
            guard depth <= KeyedArchiveTransformer.maximumDepth else {
                throw PinviewError(.wrongType, "The value cannot be archived: it is nested too deep.")
            }
            let value = unwrapped(value)
            if let convertible = value as? any ValueConvertible { return try add(scalar: convertible.pinviewValue) }
            // What is still optional is nil.
            if value is any OptionalValue { return .uid(0) }
            if let members = value as? [AnyHashable: Any] {
                var keys: [PropertyListValue] = [], values: [PropertyListValue] = []
                for (key, member) in members {
                    keys.append(try add(key.base, depth + 1))
                    values.append(try add(member, depth + 1))
                }
                return place("NSDictionary", ["NS.keys": .array(keys), "NS.objects": .array(values)])
            }
            let isSet = value is Set<AnyHashable>
            guard let elements = value as? [Any] ?? (value as? Set<AnyHashable>)?.map(\.base) else {
                throw PinviewError(
                    .wrongType, "A value of the type \(type(of: value)) cannot be archived; register a transformer of your own.")
            }
            var added: [PropertyListValue] = []
            for each in elements { added.append(try add(each, depth + 1)) }
            return place(isSet ? "NSSet" : "NSArray", ["NS.objects": .array(added)])
        }

        private mutating func add(scalar value: Value) throws(PinviewError) -> PropertyListValue {
            switch value {
            case .null: return .uid(0)
            case .boolean(let flag): return place(.boolean(flag))
            case .integer(let number): return place(.integer(number))
            case .double(let number): return place(.real(number))
            case .string(let text): return place(.string(text))
            case .binary(let bytes): return place(.data(bytes))
            case .date(let date): return place("NSDate", ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
            case .uuid(let uuid): return place("NSUUID", ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Array($0) })])
            case .decimal(let number): return place("NSDecimalNumber", Self.members(of: number))
            case .objectID(let objectID): return place(.string(objectID.uriRepresentation))
            }
        }

        private static func members(of number: DecimalNumber) -> [String: PropertyListValue] {
            // Sixteen bytes of digits, least significant first; NaN is a negative number without any.
            let isNaN = number == .notANumber
            let digits = withUnsafeBytes(of: number.mantissa.magnitude.littleEndian) { Array($0) }
            let length = ((digits.lastIndex { $0 != 0 } ?? -1) + 2) / 2
            return [
                "NS.mantissa": .data(digits), "NS.mantissa.bo": .integer(1), "NS.length": .integer(Int64(length)),
                "NS.exponent": .integer(isNaN ? 0 : Int64(number.exponent)), "NS.negative": .boolean(isNaN || number.mantissa < 0),
                "NS.compact": .boolean(true),
            ]
        }

        private mutating func place(_ value: PropertyListValue) -> PropertyListValue {
            objects.append(value)
            return .uid(UInt64(objects.count - 1))
        }

        private mutating func place(_ name: String, _ members: [String: PropertyListValue]) -> PropertyListValue {
            let known: PropertyListValue
            if let same = classes[name] {
                known = same
            } else {
                known = place(.dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])]))
                classes[name] = known
            }
            return place(.dictionary(members.merging(["$class": known]) { first, _ in first }))
        }
    }
#endif
