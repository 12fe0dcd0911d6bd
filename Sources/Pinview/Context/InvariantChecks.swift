#if DEBUG
    import PinviewGenerations
    import PinviewModel

    /// Checks of what must hold between any two calls. Debug builds only, for the tests.
    package enum InvariantChecks {
        private static let current = Observer()

        private final class Observer: @unchecked Sendable {  // guarded by `lock`
            private let lock = Lock()
            private var _observe: (@Sendable ([String]) -> Void)?
            var observe: (@Sendable ([String]) -> Void)? {
                get { lock.withLock { _observe } }
                set { lock.withLock { _observe = newValue } }
            }
        }

        /// Checks each context after each of its calls and blocks, and reports violations to
        /// `observer` on the calling thread.
        package static func observe(_ observer: (@Sendable ([String]) -> Void)?) { current.observe = observer }

        /// After this many calls, or with this many objects, a context is checked only
        /// occasionally, since each check visits everything.
        private static let callLimit: UInt64 = 200
        private static let objectLimit = 100
        private static let interval: UInt64 = 64

        /// Called as the calling thread is about to leave the context.
        static func check(_ state: ContextState) {
            guard let observe = current.observe, state.queue.isAtOutermostLevel, !state.hasEnded else { return }
            state.numberOfChecks &+= 1
            if state.numberOfChecks > callLimit, state.numberOfChecks % interval != 0 { return }
            let objects = state.registry.objects
            if objects.count > objectLimit, state.numberOfChecks % (interval * UInt64(objects.count / objectLimit)) != 0 { return }
            let violations = state.invariantViolations(objects)
            if !violations.isEmpty { observe(violations) }
        }
    }

    extension ManagedObjectContext {
        /// Violations by the context, its objects, its undo stack and the row cache; empty if all
        /// is well.
        package func checkInvariants() -> [String] {
            state.readOnQueue { state.hasEnded ? [] : state.invariantViolations(state.registry.objects) }
        }
    }

    extension ContextState {
        func invariantViolations(_ objects: [ManagedObject]) -> [String] {
            var violations = registry.invariantViolations(objects) + pending.invariantViolations(objects)
            violations += pin.invariantViolations + settings.invariantViolations + position.invariantViolations
            for object in objects {
                violations += lifeViolations(of: object)
                violations += valueViolations(of: object)
                violations += inverseViolations(of: object)
            }
            if let manager = settings.undoManager { violations += manager.invariantViolations(of: self) }
            if let cache = coordinator?.rowCache {
                violations += cache.invariantViolations(requiring: objects.filter(\.isCountedInRowCache).map(\.key))
            }
            return violations
        }

        // MARK: One object

        private func lifeViolations(of object: ManagedObject) -> [String] {
            var violations: [String] = []
            let flags = object.flags
            if object.state !== self { violations.append("\(object) belongs to another context") }
            if flags.contains(.invalidated) { violations.append("\(object) is invalid, but registered") }
            let lives = [ObjectFlags.inserted, .updated, .deleted].filter(flags.contains)
            if lives.count > 1 { violations.append("\(object) is in \(lives.count) change sets at a time") }
            if flags.contains(.deletePropagated), !flags.contains(.deleted) {
                violations.append("\(object) is propagated, but not deleted")
            }
            if flags.contains(.inaccessible), !flags.contains(.deleted) { violations.append("\(object) is inaccessible, but not deleted") }
            let hasCommitted = if case .none = object.committed { false } else { true }
            if flags.contains(.fault) || flags.contains(.inaccessible) {
                if hasCommitted { violations.append("\(object) has a committed row, but is a fault or inaccessible") }
            } else if !flags.contains(.inserted), !hasCommitted {
                violations.append("\(object) has no committed row, but is neither new nor a fault")
            }
            if flags.contains(.inserted), flags.contains(.fault) { violations.append("\(object) is new and a fault") }
            if object.isChangedInMemory, lives.isEmpty { violations.append("\(object) has changed properties, but is in no change set") }
            if flags.contains(.updated), !object.isChangedInMemory {
                violations.append("\(object) is in the updated objects without a changed property")
            }
            return violations
        }

        private func valueViolations(of object: ManagedObject) -> [String] {
            var violations: [String] = []
            for property in object.entity.properties {
                let name = "\(object).\(property.name)"
                switch object.slot(property.index) {
                case .unloaded:
                    if object.changed.contains(property.index) { violations.append("\(name) is changed, but not loaded") }
                case .value:
                    if !property.isAttribute { violations.append("\(name) is a relationship with the value of an attribute") }
                case .toOne(let destination):
                    if property.isAttribute || property.isToMany { violations.append("\(name) has a to-one destination") }
                    if let destination, destination.state !== self { violations.append("\(name) leads to another context") }
                case .noMembers:
                    if !property.isToMany { violations.append("\(name) has no members") }
                    if object.changed.contains(property.index) { violations.append("\(name) is changed, but has no members") }
                case .toMany(let contents):
                    violations += contents.invariantViolations.map { "\(name) \($0)" }
                    if !property.isToMany { violations.append("\(name) has members") }
                    let isCounted = !object.flags.contains(.inserted) && !object.flags.contains(.inaccessible)
                    if isCounted, object.changed.contains(property.index) != contents.hasChanges {
                        violations.append("\(name): changed says \(object.changed.contains(property.index)), its members differ")
                    }
                }
            }
            return violations
        }

        /// Both sides of a relationship agree, whether loaded or not, changed or not (ONE-02).
        private func inverseViolations(of object: ManagedObject) -> [String] {
            guard object.flags.isDisjoint(with: [.deleted, .inaccessible, .invalidated]), !pending.hasDeferredRemovals else { return [] }
            var violations: [String] = []
            violations += referenceViolations(of: object)
            for key in foreignKeys(of: object) {
                guard let destinationKey = key.current, let destination = registry.object(destinationKey),
                    destination.flags.isDisjoint(with: [.deleted, .inaccessible, .invalidated])
                else { continue }
                let agrees: Bool
                switch destination.slot(key.inverse.index) {
                // A relationship that is not loaded is compared once it is, if the two sides may
                // come from different states.
                case .toMany(let contents):
                    agrees = contents.contains(object) || !contents.isLoaded && (key.committed == key.current || mayBeMixed)
                case .toOne(let back): agrees = back === object
                case .noMembers: agrees = false
                case .value: agrees = true
                case .unloaded:
                    if key.inverse.isToMany {
                        agrees = key.committed == key.current || destination.flags.contains(.fault) || mayBeMixed
                    } else {
                        let back = foreignKeys(of: destination).first { $0.property.index == key.inverse.index }
                        agrees = back.map { $0.current == object.key } ?? true
                    }
                }
                if !agrees {
                    violations.append("\(object).\(key.property.name) is \(destination), whose \(key.inverse.name) does not lead back")
                }
            }
            for index in object.binding.toManyIndexes {
                guard let property = object.property(atIndex: index), let inverse = inverse(of: property),
                    case .toMany(let contents) = object.slot(index)
                else { continue }
                for member in contents.members {
                    guard member.flags.isDisjoint(with: [.deleted, .inaccessible, .invalidated, .fault]) else { continue }
                    let agrees: Bool
                    switch member.slot(inverse.index) {
                    case .toMany(let back): agrees = back.contains(object) || !back.isLoaded && !back.isRemoved(object)
                    case .noMembers: agrees = false
                    default:
                        let back = foreignKeys(of: member).first { $0.property.index == inverse.index }
                        agrees = back.map { $0.current == object.key } ?? true
                    }
                    if !agrees { violations.append("\(object).\(property.name) has \(member), whose \(inverse.name) does not lead back") }
                }
            }
            return violations
        }
    }
#endif
