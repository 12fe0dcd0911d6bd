/// A LIKE pattern cut at its stars, for long patterns or texts. Each segment is searched for once,
/// from left to right: by a linear search or, if it contains question marks, in time linear in the
/// text for every 64 characters of the segment.
struct LikeSegments {
    /// The part between two stars.
    private struct Segment {
        /// The characters; nil matches any.
        var scalars: [UInt32?] = []
        /// The characters as UTF-8, if there is no question mark.
        var bytes: [UInt8]? = []
    }

    private var segments = [Segment()]

    init(_ pattern: UnsafeBufferPointer<UInt8>) {
        var isEscaped = false
        let scalars = Array(String(decoding: pattern, as: UTF8.self).unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            if !isEscaped, scalar == "\\", index + 1 < scalars.count {
                isEscaped = true
            } else if !isEscaped, scalar == "*" {
                segments.append(Segment())
            } else if !isEscaped, scalar == "?" {
                segments[segments.count - 1].scalars.append(nil)
                segments[segments.count - 1].bytes = nil
            } else {
                segments[segments.count - 1].scalars.append(scalar.value)
                segments[segments.count - 1].bytes?.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
                isEscaped = false
            }
        }
    }

    func match(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = segments.first, let last = segments.last, var position = end(of: first, at: 0, text) else { return false }
        if segments.count == 1 { return position == text.count }
        for segment in segments.dropFirst().dropLast() where !segment.scalars.isEmpty {
            guard let end = find(segment, from: position, text) else { return false }
            position = end
        }
        var start = text.count
        for _ in last.scalars {
            guard start > position else { return false }
            start -= 1
            while start > position, text[start] & 0xC0 == 0x80 { start -= 1 }
        }
        return end(of: last, at: start, text) == text.count
    }

    /// The end of a segment that begins at `start`; nil if the text does not match it there.
    private func end(of segment: Segment, at start: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var position = start
        for scalar in segment.scalars {
            guard position < text.count else { return nil }
            let next = LikePattern.scalarEnd(in: text, from: position)
            if let scalar, Self.scalar(text, position, next) != scalar { return nil }
            position = next
        }
        return position
    }

    private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> UInt32 {
        var value = UInt32(text[start])
        guard value >= 0x80 else { return value }
        value &= 0x7F >> UInt32(end - start)
        for byte in text[(start + 1)..<end] { value = value << 6 | UInt32(byte & 0x3F) }
        return value
    }

    /// The end of the segment's first occurrence.
    private func find(_ segment: Segment, from start: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let bytes = segment.bytes else { return findWithGaps(segment.scalars, from: start, text) }
        return bytes.withUnsafeBufferPointer { ByteSearch.find($0, in: text, from: start) }.map { $0 + bytes.count }
    }

    /// The Shift-And algorithm: one bit for each prefix of the segment, set if the text so far ends
    /// with it.
    private func findWithGaps(_ scalars: [UInt32?], from start: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int? {
        let words = (scalars.count + 63) / 64
        var maskOffsets: [UInt32: Int] = [:]
        // The first mask has only the gaps, for characters that the segment does not contain.
        var masks = [UInt64](repeating: 0, count: words)
        for (index, scalar) in scalars.enumerated() where scalar == nil { masks[index / 64] |= 1 << UInt64(index % 64) }
        for (index, scalar) in scalars.enumerated() {
            guard let scalar else { continue }
            let offset = maskOffsets[scalar] ?? masks.count
            if maskOffsets.updateValue(offset, forKey: scalar) == nil { masks += masks[0..<words] }
            masks[offset + index / 64] |= 1 << UInt64(index % 64)
        }
        var state = [UInt64](repeating: 0, count: words)
        let last = UInt64(1) << UInt64((scalars.count - 1) % 64)
        var position = start
        while position < text.count {
            let next = LikePattern.scalarEnd(in: text, from: position)
            let offset = maskOffsets[Self.scalar(text, position, next)] ?? 0
            var carry: UInt64 = 1
            for word in 0..<words {
                let shifted = state[word] << 1 | carry
                carry = state[word] >> 63
                state[word] = shifted & masks[offset + word]
            }
            position = next
            if state[words - 1] & last != 0 { return position }
        }
        return nil
    }
}
