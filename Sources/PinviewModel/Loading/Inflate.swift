internal import CZlib

/// Data that was compressed without a header (RFC 1951).
enum Inflate {
    /// - Parameter limit: the most bytes that come out, so that a small input cannot fill the
    ///   memory.
    /// - Returns: nil for data that is damaged, cut off or too long.
    static func raw(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard bytes.count <= limit, pinview_inflate_raw_init(&stream) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            var output: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                var status = Z_OK
                let count = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                    return chunk.count - Int(stream.avail_out)
                }
                guard output.count + count <= limit else { return nil }
                output += chunk[..<count]
                if status == Z_STREAM_END { return output }
                guard status == Z_OK, count > 0 || stream.avail_in > 0 else { return nil }
            }
        }
    }
}
