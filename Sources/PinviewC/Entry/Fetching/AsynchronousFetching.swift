import CPinview
import Pinview

// Asynchronous fetches: part of the section "Fetching" of the header.

private func tell(_ callback: pinview_asynchronous_fetch_callback, _ result: AsynchronousFetchResult, _ userdata: Userdata) {
    guard let handle = try? HandleTable.make(.asynchronousFetch, result) else { return }
    callingOut { callback(handle, userdata.pointer) }
    _ = HandleTable.release(handle, .asynchronousFetch)
}

private func fetch(_ handle: OpaquePointer?) throws(PinviewError) -> AsynchronousFetchResult {
    try Handles.box(handle, .asynchronousFetch, AsynchronousFetchResult.self)
}

@c @implementation
public func pinview_context_fetch_asynchronously(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_fetch_request>?, _ flags: UInt32,
    _ completion: pinview_asynchronous_fetch_callback?, _ progress: pinview_asynchronous_fetch_callback?,
    _ userdata: UnsafeMutableRawPointer?, _ free_userdata: pinview_free_callback?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let context = try Handles.context(context)
        try checkFlags(flags, "flags", known: PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST, "PINVIEW_ASYNCHRONOUS_FETCH_")
        let userdata = Userdata(userdata, nil)
        // Even without a callback, the userdata is kept until the fetch has ended.
        var asynchronous = AsynchronousFetchRequest(fetchRequest: try makeFetchRequest(request)) { result in
            withExtendedLifetime(userdata) { if let completion { tell(completion, result, userdata) } }
        }
        asynchronous.countsResultsFirst = flags & PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST != 0
        if let progress { asynchronous.progressHandler = { tell(progress, $0, userdata) } }
        // Make the handle first: once the fetch has begun, it calls back with the userdata.
        _ = try context.execute(asynchronous) { (fetch) throws(PinviewError) in
            out.pointee = try HandleTable.make(.asynchronousFetch, fetch)
            userdata.own(free_userdata)
        }
    }
}

@c @implementation
public func pinview_asynchronous_fetch_retain(_ fetch: OpaquePointer?) -> pinview_status { Handles.retain(fetch, .asynchronousFetch) }

@c @implementation
public func pinview_asynchronous_fetch_release(_ fetch: OpaquePointer?) -> pinview_status { Handles.release(fetch, .asynchronousFetch) }

@c @implementation
public func pinview_asynchronous_fetch_cancel(
    _ fetch: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try PinviewC.fetch(fetch).cancel() }
}

@c @implementation
public func pinview_asynchronous_fetch_progress(
    _ fetch: OpaquePointer?, _ rows: UnsafeMutablePointer<UInt64>?, _ total: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let result = try PinviewC.fetch(fetch)
        rows?.pointee = UInt64(result.completedUnitCount)
        total?.pointee = Int64(result.totalUnitCount ?? -1)
    }
}

@c @implementation
public func pinview_asynchronous_fetch_wait(
    _ fetch: OpaquePointer?, _ timeout_seconds: Double, _ out: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let result = try PinviewC.fetch(fetch)
        guard !timeout_seconds.isNaN else {
            throw PinviewError(
                .invalidArgument, "The timeout must be a number of seconds, or negative for no limit; got \(timeout_seconds).")
        }
        out.pointee = result.waitUntilFinished(timeout: timeout_seconds < 0 ? nil : timeout_seconds) ? 1 : 0
    }
}

@c @implementation
public func pinview_asynchronous_fetch_result(
    _ fetch: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let fetch = try PinviewC.fetch(fetch)
        guard let result = fetch.result else {
            throw PinviewError(.invalidArgument, "The fetch is still running. Wait for its end, or take the result in its callback.")
        }
        out.pointee = try Handles.make(ResultBox.Contents(try result.get(), fetch.entity))
    }
}

@c @implementation
public func pinview_context_interrupt_fetch(
    _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.context(context).interruptFetch() }
}

@c @implementation
public func pinview_context_interrupt(
    _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.context(context).interrupt() }
}
