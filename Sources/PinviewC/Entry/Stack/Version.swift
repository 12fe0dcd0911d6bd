import CPinview
import Pinview

// The section "Version and features" of the header.

// Never changes.
nonisolated(unsafe) private let versionText = TextStorage(PinviewVersion.string)
nonisolated(unsafe) private let sqliteVersionText = TextStorage(PinviewVersion.sqliteVersion)
private let features: Set<String> = [
    "query-generations", "undo", "nested-contexts", "merge-policies", "batch-update", "sql-log", "journal-report", "journal-budget",
    "batch-insert", "batch-delete", "history", "asynchronous-fetch", "dictionary-results", "explain", "expressions",
    "fetch-request-templates", "fetched-properties", "generation-difference", "remote-changes", "results-controller", "columns", "upsert",
]

@c @implementation
public func pinview_version_number() -> UInt32 {
    UInt32(PinviewVersion.major * 1_000_000 + PinviewVersion.minor * 1_000 + PinviewVersion.patch)
}

@c @implementation
public func pinview_version_string() -> pinview_string { versionText.view }

@c @implementation
public func pinview_sqlite_version() -> pinview_string { sqliteVersionText.view }

@c @implementation
public func pinview_has_feature(_ name: pinview_string) -> Int32 {
    guard let name = try? name.text("name") else { return 0 }
    return features.contains(name) ? 1 : 0
}

@c @implementation
public func pinview_handle_count() -> Int64 { Int64(HandleTable.count) }
