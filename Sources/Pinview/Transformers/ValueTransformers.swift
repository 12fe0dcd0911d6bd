import PinviewGenerations
import PinviewModel

/// Turns the bytes that a transformable attribute stores into a value of the program, and back.
///
/// A transformer is registered under the name that models give (`valueTransformerName`); see
/// ``ValueTransformers``.
public protocol PinviewValueTransformer: Sendable {
    /// The value for stored bytes.
    func value(of bytes: [UInt8]) throws -> Any

    /// The bytes for a value.
    func bytes(of value: Any) throws -> [UInt8]
}

/// The transformers of transformable attributes, by the name that models give. They are shared by
/// all contexts of the process; any thread may use them.
///
/// An attribute whose transformer is registered has values of the program in
/// ``ManagedObject/value(forKey:)`` and ``ManagedObject/setValue(_:forKey:)``. Each read transforms
/// the stored bytes anew. An attribute whose transformer is not registered has the bytes. Fetches,
/// predicates and ``ManagedObject/attributeValue(forKey:)`` always work on the bytes.
public enum ValueTransformers {
    private static let lock = Lock()
    nonisolated(unsafe) private static var transformers: [String: any PinviewValueTransformer] = [:]  // guarded by `lock`

    /// Registers a transformer under a name; nil removes it.
    public static func setTransformer(_ transformer: (any PinviewValueTransformer)?, forName name: String) {
        // Released after unlocking, because its deinitializer may run code of the application.
        var old: (any PinviewValueTransformer)?
        lock.withLock {
            old = transformers[name]
            transformers[name] = transformer
        }
        withExtendedLifetime(old) {}
    }

    /// The transformer registered under a name.
    public static func transformer(forName name: String) -> (any PinviewValueTransformer)? {
        lock.withLock { transformers[name] }
    }
}

extension Property {
    /// The registered transformer of a transformable attribute.
    private var valueTransformer: (any PinviewValueTransformer)? {
        guard attributeType == .transformable, let name = valueTransformerName else { return nil }
        return ValueTransformers.transformer(forName: name)
    }

    /// The program's value for what the attribute stores.
    func transformed(_ value: Value) throws(PinviewError) -> Any? {
        guard case .binary(let bytes) = value, let valueTransformer else { return value.anyValue }
        do {
            return try valueTransformer.value(of: bytes)
        } catch {
            throw failure(error, "could not be read: its bytes were not transformed")
        }
    }

    /// What the attribute stores for the program's value; nil if it has no transformer.
    func stored(_ value: Any?) throws(PinviewError) -> Value? {
        guard let valueTransformer else { return nil }
        guard let value else { return .null }
        do {
            return .binary(try valueTransformer.bytes(of: value))
        } catch {
            throw failure(error, "could not be set: its value was not transformed")
        }
    }

    private func failure(_ error: any Error, _ what: String) -> PinviewError {
        let reason = (error as? PinviewError)?.message ?? String(describing: error)
        return PinviewError(
            .invalidArgument, "\(qualifiedName) \(what) by the transformer \((valueTransformerName ?? "").quotedForPeople): \(reason)"
        ).with(validationKey: name)
    }
}
