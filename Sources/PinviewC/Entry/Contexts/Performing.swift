import CPinview
import Pinview

// The section "Contexts" of the header: running blocks, the main queue.

/// A block of the program's with its userdata, on its way to a queue.
final class Block: @unchecked Sendable {  // immutable; the program says that its block may run on the queue's thread
    let callback: pinview_block_callback
    let userdata: UnsafeMutableRawPointer?
    let freeUserdata: pinview_free_callback?

    init(_ callback: @escaping pinview_block_callback, _ userdata: UnsafeMutableRawPointer?, _ freeUserdata: pinview_free_callback?) {
        self.callback = callback
        self.userdata = userdata
        self.freeUserdata = freeUserdata
    }

    func run(_ context: ManagedObjectContext) {
        let box = ContextBox(context)
        if let handle = try? Handles.make(box) {
            _ = HandleTable.holding(handle, .context, box) { callingOut { callback(handle, userdata) } }
            _ = HandleTable.release(handle, .context)
        }
        if let freeUserdata { callingOut { freeUserdata(userdata) } }
    }
}

@c @implementation
public func pinview_context_perform(
    _ context: OpaquePointer?, _ block: pinview_block_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        let block = try requireArgument(block, "block")
        let work = Block(block, userdata, free_userdata)
        try context.perform { work.run(context) }
    }
}

@c @implementation
public func pinview_context_perform_and_wait(
    _ context: OpaquePointer?, _ block: pinview_block_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try Handles.box(context, .context, ContextBox.self)
        let block = try requireArgument(block, "block")
        var failure: (any Error)?
        try box.context.performAndWait {
            HandleTable.holding(context, .context, box) {
                // The error is made on the thread that ran the block, where it is the last error.
                do { try runCallback { block(context, userdata) } } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }
}

@c @implementation
public func pinview_main_queue_drain(
    _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        count?.pointee = 0
        let number = try MainQueue.drain()
        count?.pointee = UInt64(number)
    }
}

@c @implementation
public func pinview_main_queue_file_descriptor() -> Int32 { MainQueue.fileDescriptor }

@c @implementation
public func pinview_set_concurrency_debug(_ is_on: Int32) { ConcurrencyDebug.isEnabled = is_on != 0 }
