import PinviewModel

/// Names a generation across all stores of a coordinator (`NSQueryGenerationToken`).
///
/// A token is opaque and immutable and may be used from any thread. Two tokens are equal when they
/// name the same generation. It does not keep its generation alive: when no context is on it any
/// more, setting the token fails with `generationExpired` (DEC-07).
public final class QueryGenerationToken: Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        case current
        case generation(process: UInt64, coordinator: UInt64, serial: UInt64)
    }

    let kind: Kind

    init(kind: Kind) {
        self.kind = kind
    }

    /// Stands for "whatever is newest at the next read". Equal only to itself.
    public static let current = QueryGenerationToken(kind: .current)

    /// Whether this is ``current``.
    public var isCurrent: Bool { kind == .current }

    public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool { left.kind == right.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// For logs; the text is not stable.
    public var description: String {
        switch kind {
        case .current: "<QueryGenerationToken current>"
        case .generation(_, let coordinator, let serial): "<QueryGenerationToken \(coordinator).\(serial)>"
        }
    }

    /// The token as opaque bytes, which ``init(data:)`` turns into an equal token. The layout is private
    /// and may change with every version; the bytes name a generation of this run of the process only.
    public func data() -> [UInt8] {
        var words: [UInt64] = [Self.signature]
        switch kind {
        case .current: words += [0, 0, 0]
        case .generation(let process, let coordinator, let serial): words += [process, coordinator, serial]
        }
        words.append(Self.checksum(words))
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
    }

    /// Reads what ``data()`` wrote.
    ///
    /// - Throws: `invalidArgument` for bytes that are no token: truncated, altered, or something else.
    public init(data: [UInt8]) throws(PinviewError) {
        guard data.count == 40 else {
            throw PinviewError(.invalidArgument, "\(data.count) bytes are no query generation token: a token has 40.")
        }
        let words = stride(from: 0, to: 40, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(data[start + $1]) << (8 * UInt64($1)) }
        }
        guard words[0] == Self.signature, words[4] == Self.checksum(Array(words[0..<4])) else {
            throw PinviewError(.invalidArgument, "The bytes are no query generation token, or were altered.")
        }
        kind = words[1] == 0 ? .current : .generation(process: words[1], coordinator: words[2], serial: words[3])
    }

    /// "PINVIEW" and the version of the layout.
    private static let signature: UInt64 = 0x5049_4e56_4945_5701

    /// FNV-1a over the words: finds accidents, not forgers, who gain nothing from a token.
    private static func checksum(_ words: [UInt64]) -> UInt64 {
        words.reduce(14_695_981_039_346_656_037) { hash, word in
            (0..<8).reduce(hash) { ($0 ^ (word >> (8 * UInt64($1)) & 0xff)) &* 1_099_511_628_211 }
        }
    }

    /// Tells this run of the process from every other, so that bytes from elsewhere are foreign here. Never 0.
    static let process = UInt64.random(in: 1 ... .max)
}
