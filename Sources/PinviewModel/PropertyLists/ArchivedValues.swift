import FoundationEssentials

extension KeyedArchive {
    /// A number, text, date, data, URL or UUID as a value; nil for null and for other classes.
    package func scalar(_ member: PropertyListValue?) -> Value? {
        if let text = text(member) { return .string(text) }
        if let object = object(member) { return scalar(object) }
        return switch value(member) {
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .real(let number): .double(number)
        case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let bytes): .binary(bytes)
        default: nil
        }
    }

    private func scalar(_ object: ArchivedObject) -> Value? {
        switch object.className {
        case "NSDate":
            switch object["NS.time"] {
            case .real(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
            case .integer(let seconds): return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
            default: return nil
            }
        case "NSData", "NSMutableData": return value(object["NS.data"])?.dataValue.map { .binary($0) }
        case "NSUUID":
            guard let bytes = object["NS.uuidbytes"]?.dataValue, bytes.count == 16 else { return nil }
            return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case "NSURL":
            guard let relative = text(object["NS.relative"]) else { return nil }
            return .string((text(self.object(object["NS.base"])?["NS.relative"]) ?? "") + relative)
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return decimal(object).map { .decimal($0) }
        default: return nil
        }
    }

    /// Sixteen bytes of digits, as eight numbers of 16 bits in the byte order that is given.
    private func decimal(_ object: ArchivedObject) -> DecimalNumber? {
        guard let bytes = object["NS.mantissa"]?.dataValue, bytes.count == 16, let exponent = number(object["NS.exponent"]),
            (-200...200).contains(exponent), let count = number(object["NS.length"]), (0...8).contains(count)
        else { return nil }
        let isNegative = flag(object["NS.negative"])
        guard count > 0 else { return isNegative ? .notANumber : .zero }
        let isLittle = number(object["NS.mantissa.bo"]) != 2
        var magnitude: UInt128 = 0
        for index in (0..<Int(count)).reversed() {
            let (first, second) = (UInt128(bytes[2 * index]), UInt128(bytes[2 * index + 1]))
            magnitude = magnitude << 16 | (isLittle ? second << 8 | first : first << 8 | second)
        }
        return DecimalNumber(isNegative: isNegative, magnitude: magnitude, exponent: Int(exponent))
    }
}
