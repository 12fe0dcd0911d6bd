import CPinview
import Pinview

// The section "Results controllers" of the header.

/// A controller, with what its callbacks need.
private final class ResultsControllerBox: @unchecked Sendable {  // guarded by `lock`
    let controller: FetchedResultsController
    private let lock = ThreadLock()
    /// Kept here, since the controller refers to its delegate weakly.
    private var callbacks: ResultsCallbacks?
    /// Name and index title, by section.
    private var texts: [Int: (TextStorage, TextStorage)] = [:]

    init(_ controller: FetchedResultsController) { self.controller = controller }

    deinit { callbacks?.gate.close() }

    func set(_ new: ResultsCallbacks?) {
        controller.delegate = new
        let old = lock.withLock { () -> ResultsCallbacks? in
            defer { callbacks = new }
            return callbacks
        }
        old?.gate.close()
    }

    func views(ofSection index: Int, _ name: String, _ title: String?) -> (pinview_string, pinview_string) {
        lock.withLock {
            let pair = texts[index] ?? (TextStorage(), TextStorage())
            texts[index] = pair
            return (pair.0.set(name), pair.1.set(title))
        }
    }
}

/// The program's callbacks. If no handle can be made for their arguments, they cannot be called.
private final class ResultsCallbacks: FetchedResultsControllerDelegate {
    let gate = CallbackGate()
    private let callbacks: pinview_results_callbacks
    private let userdata: Userdata
    /// Callbacks get the handle of this very box.
    private weak var box: ResultsControllerBox?

    init(_ callbacks: pinview_results_callbacks, _ userdata: UnsafeMutableRawPointer?, _ box: ResultsControllerBox) {
        self.callbacks = callbacks
        self.userdata = Userdata(userdata, nil)
        self.box = box
    }

    func own(_ free: pinview_free_callback?) { userdata.own(free) }

    private func tell(_ body: (OpaquePointer, UnsafeMutableRawPointer?) -> Void) {
        gate.pass {
            guard let box, let handle = try? HandleTable.make(.resultsController, box) else { return }
            callingOut { body(handle, userdata.pointer) }
            _ = HandleTable.release(handle, .resultsController)
        }
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController) {
        if let callback = callbacks.will_change_content { tell { callback($0, $1) } }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController) {
        if let callback = callbacks.did_change_content { tell { callback($0, $1) } }
    }

    func controller(
        _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType
    ) {
        guard let callback = callbacks.did_change_section else { return }
        let name = TextStorage(sectionInfo.name)
        tell { callback($0, name.view, UInt64(sectionIndex), Int32(type.rawValue), $1) }
    }

    func controller(
        _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: PinviewIndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: PinviewIndexPath?
    ) {
        guard let callback = callbacks.did_change_object, let handle = try? Handles.make(object) else { return }
        var from = pinview_index_path(indexPath), to = pinview_index_path(newIndexPath)
        tell { controller, userdata in
            withUnsafePointer(to: &from) { from in
                withUnsafePointer(to: &to) { to in
                    callback(
                        controller, handle, indexPath == nil ? nil : from, newIndexPath == nil ? nil : to, Int32(type.rawValue), userdata)
                }
            }
        }
        _ = HandleTable.release(handle, .object)
    }

    func controller(_ controller: FetchedResultsController, didFailWith error: PinviewError) {
        guard let callback = callbacks.did_fail, let handle = try? Handles.make(error) else { return }
        tell { callback($0, handle, $1) }
        _ = HandleTable.release(handle, .error)
    }
}

extension pinview_index_path {
    /// Both fields are UINT64_MAX for nil.
    fileprivate init(_ indexPath: PinviewIndexPath?) {
        self.init(section: indexPath.map { UInt64($0.section) } ?? .max, item: indexPath.map { UInt64($0.item) } ?? .max)
    }
}

private func box(_ controller: OpaquePointer?) throws(PinviewError) -> ResultsControllerBox {
    try Handles.box(controller, .resultsController, ResultsControllerBox.self)
}

private func objects(_ controller: OpaquePointer?) throws(PinviewError) -> [ManagedObject] {
    let controller = try box(controller).controller
    try controller.requireContent()
    return controller.fetchedObjects ?? []
}

@c @implementation
public func pinview_results_controller_create(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_fetch_request>?, _ section_name_key_path: pinview_string,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let controller = try FetchedResultsController(
            fetchRequest: try makeFetchRequest(request), managedObjectContext: try Handles.context(context),
            sectionNameKeyPath: try section_name_key_path.text("section_name_key_path"))
        out.pointee = try HandleTable.make(.resultsController, ResultsControllerBox(controller))
    }
}

@c @implementation
public func pinview_results_controller_retain(_ controller: OpaquePointer?) -> pinview_status {
    Handles.retain(controller, .resultsController)
}

@c @implementation
public func pinview_results_controller_release(_ controller: OpaquePointer?) -> pinview_status {
    Handles.release(controller, .resultsController)
}

@c @implementation
public func pinview_results_controller_perform_fetch(
    _ controller: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try box(controller).controller.performFetch() }
}

@c @implementation
public func pinview_results_controller_set_callbacks(
    _ controller: OpaquePointer?, _ callbacks: UnsafePointer<pinview_results_callbacks>?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try PinviewC.box(controller)
        guard callbacks != nil else { return box.set(nil) }
        let source = try read(
            callbacks, "callbacks", pinview_results_callbacks(), minimumSize: MemoryLayout<pinview_results_callbacks>.size)
        try checkReserved(source.reserved, "callbacks.reserved")
        let delegate = ResultsCallbacks(source, userdata, box)
        box.set(delegate)
        delegate.own(free_userdata)
    }
}

@c @implementation
public func pinview_results_controller_objects(
    _ controller: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(.objectArray(try objects(controller)))
    }
}

@c @implementation
public func pinview_results_controller_count(
    _ controller: OpaquePointer?, _ out: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let controller = try box(controller).controller
        try controller.requireContent()
        out.pointee = UInt64(controller.numberOfObjects)
    }
}

@c @implementation
public func pinview_results_controller_section_count(
    _ controller: OpaquePointer?, _ out: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let controller = try box(controller).controller
        try controller.requireContent()
        out.pointee = UInt64(controller.numberOfSections)
    }
}

@c @implementation
public func pinview_results_controller_section(
    _ controller: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_results_section>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try PinviewC.box(controller)
        let info = try box.controller.describeSection(Int(clamping: index))
        var section = pinview_results_section()
        (section.name, section.index_title) = box.views(ofSection: Int(index), info.name, info.indexTitle)
        section.count = UInt64(info.count)
        try fill(out, section, \.struct_size, minimumSize: MemoryLayout<pinview_results_section>.size)
    }
}

@c @implementation
public func pinview_results_controller_section_objects(
    _ controller: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(.objectArray(try box(controller).controller.objects(ofSection: Int(clamping: index))))
    }
}

@c @implementation
public func pinview_results_controller_section_for_index_title(
    _ controller: OpaquePointer?, _ title: pinview_string, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let controller = try box(controller).controller
        try controller.requireContent()
        let title = try title.required("title")
        let index = controller.sectionIndexTitles.firstIndex(of: title) ?? -1
        out.pointee = UInt64(try controller.section(forSectionIndexTitle: title, at: index))
    }
}

@c @implementation
public func pinview_results_controller_object(
    _ controller: OpaquePointer?, _ section: UInt64, _ item: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let place = PinviewIndexPath(item: Int(clamping: item), section: Int(clamping: section))
        out.pointee = try Handles.make(try box(controller).controller.object(at: place))
    }
}

@c @implementation
public func pinview_results_controller_index_path(
    _ controller: OpaquePointer?, _ object: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_index_path>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_index_path(nil)
        let controller = try box(controller).controller
        try controller.requireContent()
        out.pointee = pinview_index_path(controller.indexPath(forObject: try Handles.object(object)))
    }
}
