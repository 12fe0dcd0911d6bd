import CPinview
import Pinview

// The difference of two generations: part of the section "History" of the header.

/// A difference, and the property names that have been handed out.
final class DifferenceBox {
    let difference: GenerationDifference
    private let names: UnsafeMutablePointer<pinview_string>
    /// The index of each change's first name, followed by the number of names.
    private var starts = [0]
    private var texts: [String: TextStorage] = [:]

    init(_ difference: GenerationDifference) {
        self.difference = difference
        let count = difference.changes.reduce(0) { $0 + $1.updatedProperties.count }
        names = .allocate(capacity: max(count, 1))
        var next = 0
        for change in difference.changes {
            for name in change.updatedProperties {
                let text = texts[name] ?? TextStorage(name)
                texts[name] = text
                names[next] = text.view
                next += 1
            }
            starts.append(next)
        }
    }

    deinit { names.deallocate() }

    func change(_ index: Int) -> pinview_difference_change {
        let change = difference.changes[index]
        return pinview_difference_change(
            type: Int32(change.changeType.rawValue), property_count: UInt32(starts[index + 1] - starts[index]),
            properties: UnsafePointer(names + starts[index]))
    }
}

private func box(_ handle: OpaquePointer?) throws(PinviewError) -> DifferenceBox {
    try Handles.box(handle, .difference, DifferenceBox.self)
}

@c @implementation
public func pinview_coordinator_difference(
    _ coordinator: OpaquePointer?, _ old_generation: OpaquePointer?, _ new_generation: OpaquePointer?,
    _ entities: UnsafePointer<pinview_string>?, _ entity_count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let coordinator = try Handles.coordinator(coordinator)
        let old = try Handles.box(old_generation, .token, TokenBox.self).token
        let new = try new_generation.map { (token) throws(PinviewError) in try Handles.box(token, .token, TokenBox.self).token }
        let names = try elements(entities, entity_count, "entities").map { (name) throws(PinviewError) in try name.required("entities") }
        let difference = try coordinator.difference(from: old, to: new, entityNames: entities == nil ? nil : names)
        out.pointee = try HandleTable.make(.difference, DifferenceBox(difference))
    }
}

@c @implementation
public func pinview_difference_retain(_ difference: OpaquePointer?) -> pinview_status { Handles.retain(difference, .difference) }

@c @implementation
public func pinview_difference_release(_ difference: OpaquePointer?) -> pinview_status { Handles.release(difference, .difference) }

@c @implementation
public func pinview_difference_count(_ difference: OpaquePointer?) -> UInt64 {
    UInt64(Handles.boxOrNil(difference, .difference, DifferenceBox.self)?.difference.changes.count ?? 0)
}

@c @implementation
public func pinview_difference_changes(
    _ difference: OpaquePointer?, _ first: UInt64, _ count: Int, _ changes: UnsafeMutablePointer<pinview_difference_change>?,
    _ struct_size: Int, _ object_ids: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try box(difference)
        let range = try checkedRange(first, count, of: box.difference.changes.count, "changes in the difference")
        let places = try changes.map { changes throws(PinviewError) in try GrowingPlaces(changes, size: struct_size, minimumSize: 16) }
        // Only now is the range known to be valid.
        object_ids?.update(repeating: nil, count: count)
        do {
            for (place, index) in range.enumerated() {
                places?.fill(place, box.change(index))
                object_ids?[place] = try Handles.make(box.difference.changes[index].changedObjectID)
            }
        } catch {
            for index in 0..<count {
                if let made = object_ids?[index] { _ = Handles.release(made, .objectID) }
                object_ids?[index] = nil
            }
            throw error
        }
    }
}

@c @implementation
public func pinview_difference_old_generation(
    _ difference: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try box(difference).difference.oldGeneration)
    }
}

@c @implementation
public func pinview_difference_new_generation(
    _ difference: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try box(difference).difference.newGeneration)
    }
}
