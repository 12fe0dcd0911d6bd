import Glibc
import PinviewGenerations
import PinviewModel

/// Names a generation across all stores of a coordinator (`NSQueryGenerationToken`).
///
/// A token is opaque, immutable and usable on any thread. Two tokens are equal if they name the
/// same generation. A token does not keep its generation alive: once no context is pinned to the
/// generation, using the token fails with `generationExpired`.
///
/// **Other processes.** ``data()`` turns a token into bytes. A process that has opened the same
/// stores can make a token of the bytes and pin a context to it, as long as the generation is alive
/// anywhere; from then on that process holds the generation itself.
public final class QueryGenerationToken: Hashable, Sendable, CustomStringConvertible {
    /// The generation of one store, in a form that all processes understand.
    struct Part: Hashable, Sendable {
        let storeIdentifier: String
        let generation: GenerationName
    }

    /// The process that first made the token.
    struct Origin: Sendable {
        let process: UInt64
        let coordinator: UInt64
        /// Identifies the generation within that coordinator.
        let serial: UInt64
        /// Identifies the machine's current boot; 0 if unknown.
        let boot: UInt64
    }

    enum Kind: Sendable {
        case current
        /// The parts are sorted by their stores' identifiers.
        case generation(Origin, [Part])
    }

    let kind: Kind
    /// The set to publish when the token is turned into bytes.
    private weak let set: GenerationSet?

    private init(kind: Kind, set: GenerationSet? = nil) {
        self.kind = kind
        self.set = set
    }

    /// The token of a living generation.
    convenience init(_ set: GenerationSet, coordinator: UInt64) {
        let origin = Origin(process: Self.process, coordinator: coordinator, serial: set.serial, boot: Self.boot)
        self.init(kind: .generation(origin, set.parts), set: set)
    }

    /// The token of states that a journal still holds, whether or not anybody is on them now.
    convenience init(parts: [Part], coordinator: UInt64) {
        let origin = Origin(process: Self.process, coordinator: coordinator, serial: 0, boot: Self.boot)
        self.init(kind: .generation(origin, parts))
    }

    /// Names whatever is newest at the next read. Equal only to itself.
    public static let current = QueryGenerationToken(kind: .current)

    /// Whether this is ``current``.
    public var isCurrent: Bool { parts == nil }

    private var parts: [Part]? {
        if case .generation(_, let parts) = kind { return parts }
        return nil
    }

    public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool { left.parts == right.parts }
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    /// For logs; the text is not stable.
    public var description: String {
        switch kind {
        case .current: "<QueryGenerationToken current>"
        case .generation(let origin, _):
            "<QueryGenerationToken \(origin.coordinator).\(origin.serial)"
                + (origin.process == Self.process ? ">" : " of process \(String(origin.process, radix: 16))>")
        }
    }

    // MARK: Travelling

    /// The token as opaque bytes. ``init(data:)`` turns them into an equal token, in this process
    /// or another one on the same machine. The format is private and may change with each version.
    ///
    /// While the generation lives, this also **publishes** it: as long as this process holds it,
    /// other processes that have opened the same stores can pin contexts to it. That takes one lock
    /// per store, once. If the system refuses the lock, the token is expired for other processes.
    public func data() -> [UInt8] {
        set?.publish()
        var words: [UInt64] = [Self.signature, 0]
        switch kind {
        case .current: words += [0, 0, 0, 0, 0]
        case .generation(let origin, let parts):
            words += [origin.process, origin.coordinator, origin.serial, origin.boot, UInt64(parts.count)]
            for part in parts { words += Self.words(of: part.storeIdentifier) + part.generation.words }
        }
        words[1] = UInt64(words.count + 1)
        words.append(GenerationName.hash(words))
        return Self.bytes(words)
    }

    /// Makes a token of bytes that ``data()`` returned, in this process or another one.
    ///
    /// - Throws: `invalidArgument` for anything else, including truncated or altered bytes.
    public init(data: [UInt8]) throws(PinviewError) {
        set = nil
        guard data.count % 8 == 0, data.count >= 64 else {
            throw PinviewError(
                .invalidArgument, "The \(data.count) bytes are not a query generation token, or were truncated.")
        }
        var words = Self.words(data)
        let checksum = words.removeLast()
        guard words[0] == Self.signature, words[1] == UInt64(data.count / 8), checksum == GenerationName.hash(words),
            let kind = Self.kind(words[2...])
        else {
            throw PinviewError(
                .invalidArgument, "The bytes are not a query generation token of this version of the library, or were truncated or altered."
            )
        }
        self.kind = kind
    }

    private static func kind(_ words: ArraySlice<UInt64>) -> Kind? {
        var words = words
        let origin = Array(words.prefix(5))
        words.removeFirst(5)
        if origin[0] == 0 { return words.isEmpty ? .current : nil }
        var parts: [Part] = []
        for _ in 0..<min(origin[4], UInt64(words.count)) {
            guard let identifier = text(from: &words), words.count >= GenerationName.wordCount,
                let name = GenerationName(words: words.prefix(GenerationName.wordCount))
            else { return nil }
            words.removeFirst(GenerationName.wordCount)
            parts.append(Part(storeIdentifier: identifier, generation: name))
        }
        guard words.isEmpty, !parts.isEmpty, UInt64(parts.count) == origin[4] else { return nil }
        return .generation(Origin(process: origin[0], coordinator: origin[1], serial: origin[2], boot: origin[3]), parts)
    }

    /// A text as its length followed by its bytes.
    private static func words(of text: String) -> [UInt64] {
        [UInt64(text.utf8.count)] + words(Array(text.utf8))
    }

    /// Bytes as little-endian words. The last one is padded.
    private static func words(_ bytes: [UInt8]) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
        for (index, byte) in bytes.enumerated() { words[index / 8] |= UInt64(byte) << UInt64(8 * (index % 8)) }
        return words
    }

    private static func bytes(_ words: some Collection<UInt64>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * words.count)
        for word in words {
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }

    private static func text(from words: inout ArraySlice<UInt64>) -> String? {
        guard let count = words.popFirst(), count <= 8 * UInt64(words.count) else { return nil }
        let length = Int((count + 7) / 8)
        defer { words.removeFirst(length) }
        return String(decoding: bytes(words.prefix(length)).prefix(Int(count)), as: UTF8.self)
    }

    /// "PINVIEW" and the version of the format.
    private static let signature: UInt64 = 0x5049_4e56_4945_5702

    /// Distinguishes this process from all others, past and present. Never 0.
    static let process = UInt64.random(in: 1 ... .max)

    /// Distinguishes this boot of the machine from others, and from other machines.
    static let boot: UInt64 = {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? GenerationName.hash(bytes.prefix(count).map { UInt64($0) }) | 1 : 0
    }()
}

/// Whether a context reads the newest state or a pinned generation
/// (``ManagedObjectContext/queryGenerationState``).
public enum QueryGenerationState: Int, Hashable, Sendable {
    /// Every fetch sees the newest transaction.
    case unpinned = 0
    /// The context is pinned and takes the newest generation at its next read: after pinning to
    /// ``QueryGenerationToken/current``, and after each save, reset or merge of a pinned context.
    case pinnedAtNextRead = 1
    /// The context reads the generation that ``ManagedObjectContext/queryGenerationToken`` names.
    case pinned = 2
}
