import Glibc

extension SharedFile {
    /// The state of the journal and its holders. Runs no statement; locks and changes nothing.
    func journalState() -> JournalState {
        let sighted = journalIndex
        let holders = slots.map { $0.holders(frames: sighted.marks) } ?? transactionHolders(frames: sighted.marks)
        let now = MonotonicTime.now
        let readers = readerCounts
        let frames = sighted.header.frame
        let generations = liveRecords.map { record -> JournalState.Generation in
            var mark: Int?, heldBack: UInt32 = 0, open = 0, isDetached = false
            switch record.holdKind {
            case .mark(let slot, let highest, let pin):
                mark = slot
                let limit = slot == 0 ? sighted.copiedFrames : min(highest, frames)
                heldBack = frames > limit ? frames - limit : 0
                open = readers[pin] ?? 0
            case .detached(let pin):
                isDetached = true
                open = readers[pin] ?? 0
            case .transaction:
                heldBack = frames > record.header.frame ? frames - record.header.frame : 0
                open = 1
            case nil: break  // it is just ending
            }
            let age = Double(now.nanoseconds) - Double(record.taken.nanoseconds)
            return JournalState.Generation(
                ordinal: record.ordinal, age: max(age, 0) / 1e9, frame: record.header.frame, isNewest: record.isNewest(in: index),
                isDetached: isDetached, readMark: mark, framesHeldBack: heldBack, readersOpen: open)
        }
        let copies = CopyFiles.cost(of: path), storeBytes = FileSize.of(path)
        let budget = watch.agreement(storeBytes: storeBytes)
        return JournalState(
            path: path, storeBytes: storeBytes, journalBytes: FileSize.of(path + "-wal"),
            pageSize: holders.pageSize ?? sighted.header.pageSize, frames: frames, copiedFrames: sighted.copiedFrames,
            reclaimableFrames: sighted.checkpointLimit(holders.marks) - sighted.copiedFrames, heldMarks: holders.marks,
            generations: generations, processes: holders.processes, counts: counters.snapshot,
            costs: PinCosts(copies: copies.count, copyBytes: copies.bytes, historyBytes: meter.historyBytes),
            budgetBytes: budget.policy == .off ? nil : budget.bytes, hasSecondSQLite: SecondSQLite.hasOpen(path),
            file: ObjectIdentifier(self))
    }

    private var journalIndex: JournalIndex {
        // A writer changes the header in less than a microsecond. If it dies meanwhile, the next
        // reader repairs it.
        for _ in 0..<1000 {
            if let sighted = JournalIndex(index) { return sighted }
            usleep(10)
        }
        return JournalIndex(index, header: WALHeader(at: index.memory))
    }

    /// Without read marks of our own, there are no descriptors either.
    private func transactionHolders(frames: [UInt32]) -> JournalHolders {
        guard let main = LockDescriptors.take(path) else { return JournalHolders(main: -1, index: nil, frames: frames) }
        defer { LockDescriptors.giveBack(main.key) }
        guard let index = LockDescriptors.take(path + "-shm") else {
            return JournalHolders(main: main.descriptor, index: nil, frames: frames)
        }
        defer { LockDescriptors.giveBack(index.key) }
        return JournalHolders(main: main.descriptor, index: index.descriptor, frames: frames)
    }
}

extension JournalIndex {
    /// nil while a writer changes the header.
    init?(_ index: WALIndex) {
        guard let header = index.header else { return nil }
        self.init(index, header: header)
    }

    init(_ index: WALIndex, header: WALHeader) {
        self.header = header
        copiedFrames = min(index.backfilledFrames, header.frame)
        marks = (0..<WALIndex.slotCount).map { index.mark($0) }
    }
}

enum FileSize {
    /// The size of a file in bytes; 0 if it does not exist.
    static func of(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
