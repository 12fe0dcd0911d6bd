import CPinview
import Pinview

// The events of the section "Who holds the journal" of the header.

/// Holds the userdata of a callback until nobody can call it any more.
private final class JournalCallback: @unchecked Sendable {  // immutable; the program says that its callback may be called on any thread
    let callback: pinview_journal_callback
    let userdata: UnsafeMutableRawPointer?
    let freeUserdata: pinview_free_callback?

    init(_ callback: @escaping pinview_journal_callback, _ userdata: UnsafeMutableRawPointer?, _ freeUserdata: pinview_free_callback?) {
        self.callback = callback
        self.userdata = userdata
        self.freeUserdata = freeUserdata
    }

    deinit { freeUserdata?(userdata) }

    func call(_ event: JournalEvent) {
        let path = TextStorage(event.path), reason = TextStorage(event.reason)
        var told = pinview_journal_event()
        told.struct_size = UInt32(MemoryLayout<pinview_journal_event>.size)
        switch event.kind {
        case .budgetExceeded: told.kind = PINVIEW_JOURNAL_BUDGET_EXCEEDED
        case .detached: told.kind = PINVIEW_JOURNAL_DETACHED
        case .detachFailed: told.kind = PINVIEW_JOURNAL_DETACH_FAILED
        }
        told.path = path.view
        told.journal_bytes = event.journalBytes
        told.budget_bytes = event.budgetBytes
        told.copy_bytes = event.copyBytes
        told.generations = UInt64(event.generations)
        told.reason = reason.view
        withExtendedLifetime((path, reason)) { callback(&told, userdata) }
    }
}

@c @implementation
public func pinview_coordinator_set_journal_callback(
    _ coordinator: OpaquePointer?, _ callback: pinview_journal_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let coordinator = try Handles.coordinator(coordinator)
        guard let callback else {
            coordinator.setJournalCallback(nil)
            free_userdata?(userdata)
            return
        }
        let holder = JournalCallback(callback, userdata, free_userdata)
        coordinator.setJournalCallback { holder.call($0) }
    }
}
