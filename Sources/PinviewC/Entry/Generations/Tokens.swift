import CPinview
import Pinview

// The section "Tokens" of the header.

// Made once and used on any thread. Not counted, since nobody has to release it.
nonisolated(unsafe) private let current: OpaquePointer? = try? HandleTable.make(.token, TokenBox(.current), isCounted: false)

private func box(_ token: OpaquePointer?) -> TokenBox? {
    Handles.boxOrNil(token, .token, TokenBox.self)
}

@c @implementation
public func pinview_token_current() -> OpaquePointer? { current }

@c @implementation
public func pinview_token_retain(_ token: OpaquePointer?) -> pinview_status {
    // The current token is owned by nobody and exists for ever.
    if let token, token == current { return PINVIEW_OK }
    return Handles.retain(token, .token)
}

@c @implementation
public func pinview_token_release(_ token: OpaquePointer?) -> pinview_status {
    if let token, token == current { return PINVIEW_OK }
    return Handles.release(token, .token)
}

@c @implementation
public func pinview_token_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .token, TokenBox.self) { $0.token == $1.token }
}

@c @implementation
public func pinview_token_hash(_ token: OpaquePointer?) -> UInt64 { box(token).map { UInt64(bitPattern: Int64($0.token.hashValue)) } ?? 0 }

@c @implementation
public func pinview_token_is_current(_ token: OpaquePointer?) -> Int32 { box(token)?.token.isCurrent == true ? 1 : 0 }

@c @implementation
public func pinview_token_description(_ token: OpaquePointer?) -> pinview_string { box(token)?.description.view ?? .absent }

@c @implementation
public func pinview_token_data(
    _ token: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_binary>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_binary(data: nil, size: 0)
        out.pointee = try Handles.box(token, .token, TokenBox.self).dataView()
    }
}

@c @implementation
public func pinview_token_create_from_data(
    _ data: pinview_binary, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let bytes = Array(try elements(data.data, data.size, "data"))
        out.pointee = try Handles.make(try QueryGenerationToken(data: bytes))
    }
}
