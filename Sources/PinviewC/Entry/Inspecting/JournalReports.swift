import CPinview
import Pinview

// The section "Who holds the journal" of the header.

/// Reports with the texts handed out. Immutable.
final class JournalReportBox {
    final class Store {
        let report: JournalReport
        let path, text, sqliteVersion: TextStorage
        /// By generation, followed by the waiting contexts.
        let contexts: [[(context: JournalReport.Context, name: TextStorage, author: TextStorage, thread: TextStorage)]]
        let commands: [TextStorage]

        init(_ report: JournalReport) {
            self.report = report
            path = TextStorage(report.path)
            text = TextStorage(report.description)
            sqliteVersion = TextStorage(report.sqliteVersion)
            contexts = (report.generations.map(\.contexts) + [report.waitingContexts]).map {
                $0.map { ($0, TextStorage($0.name), TextStorage($0.transactionAuthor), TextStorage($0.thread)) }
            }
            commands = report.processes.map { TextStorage($0.command) }
        }
    }

    let stores: [Store]

    init(_ reports: [JournalReport]) { stores = reports.map(Store.init) }

    func store(_ index: UInt64) throws(PinviewError) -> Store { try element(stores, index, "stores") }
}

private func store(_ report: OpaquePointer?, _ index: UInt64) throws(PinviewError) -> JournalReportBox.Store {
    try Handles.box(report, .journalReport, JournalReportBox.self).store(index)
}

private func boxOrNil(_ report: OpaquePointer?) -> JournalReportBox? {
    Handles.boxOrNil(report, .journalReport, JournalReportBox.self)
}

private func bits(_ marks: [JournalReport.ReadMark]) -> UInt32 { marks.reduce(0) { $0 | 1 << UInt32($1.number) } }

@c @implementation
public func pinview_coordinator_journal_report(
    _ coordinator: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try HandleTable.make(.journalReport, JournalReportBox(try Handles.coordinator(coordinator).journalReport()))
    }
}

@c @implementation
public func pinview_coordinator_journal_report_text(
    _ coordinator: OpaquePointer?, _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_string>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let coordinator = try Handles.coordinator(coordinator)
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        var text = coordinator.journalReport().map(\.description).joined(separator: "\n\n")
        arena.reset()
        out.pointee = text.withUTF8 {
            let start = arena.store(UnsafeRawBufferPointer($0))?.assumingMemoryBound(to: CChar.self)
            return pinview_string(data: start.map { UnsafePointer($0) }, size: $0.count)
        }
    }
}

@c @implementation
public func pinview_journal_report_create_for_file(
    _ path: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try HandleTable.make(.journalReport, JournalReportBox([try JournalReport(ofFileAt: try path.required("path"))]))
    }
}

@c @implementation
public func pinview_journal_report_retain(_ report: OpaquePointer?) -> pinview_status { Handles.retain(report, .journalReport) }

@c @implementation
public func pinview_journal_report_release(_ report: OpaquePointer?) -> pinview_status { Handles.release(report, .journalReport) }

@c @implementation
public func pinview_journal_report_store_count(_ report: OpaquePointer?) -> UInt64 { UInt64(boxOrNil(report)?.stores.count ?? 0) }

@c @implementation
public func pinview_journal_report_store(
    _ report: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_journal_store>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let store = try store(report, index), report = store.report, counters = report.counters
        var result = pinview_journal_store()
        result.is_open_here = report.isOpenHere ? 1 : 0
        result.path = store.path.view
        result.text = store.text.view
        result.sqlite_version = store.sqliteVersion.view
        result.has_wal_reset_bug = report.hasWALResetBug ? 1 : 0
        result.page_size = UInt32(report.pageSize)
        result.store_bytes = report.storeBytes
        result.journal_bytes = report.journalBytes
        result.frames = report.frames
        result.copied_frames = report.copiedFrames
        result.reclaimable_frames = report.reclaimableFrames
        result.read_marks = bits(report.readMarks)
        result.generation_count = UInt64(report.generations.count)
        result.waiting_context_count = UInt64(report.waitingContexts.count)
        result.process_count = UInt64(report.processes.count)
        result.pins = counters.pins
        result.shared_pins = counters.sharedPins
        result.adoptions = counters.adoptions
        result.advances = counters.advances
        result.reads = counters.reads
        result.reader_waits = counters.readerWaits
        result.checkpoints = counters.checkpoints
        result.busy_checkpoints = counters.busyCheckpoints
        result.detaches = counters.detaches
        result.lost = counters.lost
        result.copy_count = UInt64(report.copyCount)
        result.copy_bytes = report.copyBytes
        result.history_bytes = report.historyBytes ?? -1
        result.budget_bytes = report.budgetBytes ?? -1
        try fill(out, result, \.struct_size, minimumSize: 232)
    }
}

@c @implementation
public func pinview_journal_report_generation(
    _ report: OpaquePointer?, _ store_index: UInt64, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_journal_generation>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let generation = try element(try store(report, store_index).report.generations, index, "generations")
        var result = pinview_journal_generation()
        result.is_newest = generation.isNewest ? 1 : 0
        result.is_detached = generation.isDetached ? 1 : 0
        result.read_mark = Int32(generation.readMark ?? -1)
        result.ordinal = generation.ordinal
        result.age = generation.age
        result.frame = generation.frame
        result.frames_held_back = generation.framesHeldBack
        result.bytes_held_back = generation.bytesHeldBack
        result.readers_open = UInt64(generation.readersOpen)
        result.context_count = UInt64(generation.contexts.count)
        try fill(out, result, \.struct_size, minimumSize: 64)
    }
}

@c @implementation
public func pinview_journal_report_context(
    _ report: OpaquePointer?, _ store_index: UInt64, _ generation_index: UInt64, _ index: UInt64,
    _ out: UnsafeMutablePointer<pinview_journal_context>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let contexts = try element(try store(report, store_index).contexts, generation_index, "lists of contexts")
        let found = try element(contexts, index, "contexts")
        var result = pinview_journal_context()
        result.concurrency_type = Int32(found.context.concurrencyType.rawValue)
        result.name = found.name.view
        result.transaction_author = found.author.view
        result.thread = found.thread.view
        result.is_pinned = found.context.isPinned ? 1 : 0
        try fill(out, result, \.struct_size, minimumSize: 64)
    }
}

@c @implementation
public func pinview_journal_report_process(
    _ report: OpaquePointer?, _ store_index: UInt64, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_journal_process>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let store = try store(report, store_index)
        let process = try element(store.report.processes, index, "processes")
        var result = pinview_journal_process()
        result.identifier = process.identifier ?? -1
        result.command = try element(store.commands, index, "processes").view
        result.read_marks = bits(process.readMarks)
        result.is_this_process = process.isThisProcess ? 1 : 0
        result.is_writing = process.isWriting ? 1 : 0
        result.is_checkpointing = process.isCheckpointing ? 1 : 0
        try fill(out, result, \.struct_size, minimumSize: 40)
    }
}

@c @implementation
public func pinview_journal_report_read_mark_frame(_ report: OpaquePointer?, _ store_index: UInt64, _ number: Int32) -> UInt32 {
    guard let box = boxOrNil(report), let store = try? box.store(store_index) else { return 0 }
    return store.report.readMarks.first { $0.number == Int(number) }?.frame ?? 0
}
