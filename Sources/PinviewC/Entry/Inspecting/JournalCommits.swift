import CPinview
import Pinview

// The commits of an immutable store's journal, of the section "Coordinator and stores" of the
// header.

@c @implementation
public func pinview_store_is_immutable(_ store: OpaquePointer?) -> Int32 {
    storeBox(store)?.store.isImmutable == true ? 1 : 0
}

@c @implementation
public func pinview_store_journal_commit_count(_ store: OpaquePointer?) -> UInt64 {
    UInt64(storeBox(store)?.store.journalCommits.count ?? 0)
}

@c @implementation
public func pinview_store_journal_commits(
    _ store: OpaquePointer?, _ first: UInt64, _ count: Int, _ out: UnsafeMutablePointer<pinview_journal_commit>?,
    _ struct_size: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let commits = try Handles.store(store).journalCommits
        let range = try checkedRange(first, count, of: commits.count, "commits in the journal")
        if range.isEmpty { return }
        let places = try GrowingPlaces(try require(out, "out"), size: struct_size, minimumSize: 32)
        for (index, commit) in commits[range].enumerated() {
            places.fill(
                index,
                pinview_journal_commit(
                    number: UInt64(commit.number), frame_count: UInt64(commit.frameCount), size: commit.size,
                    is_readable: commit.isReadable ? 1 : 0, reserved: 0))
        }
    }
}

@c @implementation
public func pinview_coordinator_journal_commit_token(
    _ coordinator: OpaquePointer?, _ store: OpaquePointer?, _ number: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let coordinator = try Handles.coordinator(coordinator)
        out.pointee = try Handles.make(
            try coordinator.queryGenerationToken(forJournalCommit: Int(clamping: number), of: try Handles.store(store)))
    }
}
