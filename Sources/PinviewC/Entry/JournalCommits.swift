import CPinview
import Pinview

// The commits of an immutable store's journal, of the section "Coordinator and stores" of the header.

@c @implementation
public func pinview_store_is_immutable(_ store: OpaquePointer?) -> Int32 {
    if ForkedProcess.isCurrent { return 0 }
    return (HandleTable.object(store, .store) as? StoreBox)?.store.isImmutable == true ? 1 : 0
}

@c @implementation
public func pinview_store_journal_commit_count(_ store: OpaquePointer?) -> UInt64 {
    if ForkedProcess.isCurrent { return 0 }
    return UInt64((HandleTable.object(store, .store) as? StoreBox)?.store.journalCommits.count ?? 0)
}

@c @implementation
public func pinview_store_journal_commits(
    _ store: OpaquePointer?, _ first: UInt64, _ count: Int, _ out: UnsafeMutablePointer<pinview_journal_commit>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let commits = try Handles.store(store).journalCommits
        try checkCount(count, "count")
        if count == 0 { return }
        let out = try require(out, "out")
        guard first <= UInt64(commits.count), UInt64(count) <= UInt64(commits.count) - first else {
            throw PinviewError(.invalidArgument, "The journal has \(commits.count) commits, not \(count) from index \(first) on.")
        }
        for index in 0..<count {
            let commit = commits[Int(first) + index]
            out[index] = pinview_journal_commit(
                number: UInt64(commit.number), frame_count: UInt64(commit.frameCount), size: commit.size,
                is_readable: commit.isReadable ? 1 : 0,
                reserved: 0)
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
