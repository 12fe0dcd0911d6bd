import CPinview
import Pinview

// Journal events: part of the section "Who holds the journal" of the header.

private func tell(_ callback: pinview_journal_callback, _ event: JournalEvent, _ userdata: Userdata) {
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
    withExtendedLifetime((path, reason)) { callingOut { callback(&told, userdata.pointer) } }
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
        let userdata = Userdata(userdata, free_userdata)
        coordinator.setJournalCallback { tell(callback, $0, userdata) }
    }
}
