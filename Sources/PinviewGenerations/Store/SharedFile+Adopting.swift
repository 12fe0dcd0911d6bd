internal import CSQLite
import Glibc

/// Adopting a generation that another process holds.
extension SharedFile {
    private static let attempts = 200
    private static let pause: UInt32 = 2_500  // microseconds

    /// The generation with a name, pinned: the one in this process, or else the one that another
    /// process has published.
    ///
    /// Afterwards this process holds the generation on its own and publishes it too, whatever
    /// happens to the other process's hold. Nothing is written to any file. The proof has three
    /// steps:
    /// 1. A read mark that fits the state is locked.
    /// 2. After that, another process still holds the state (it releases its byte before its read
    ///    mark). So the two holds overlap, and nobody can have changed anything in between.
    /// 3. The canary is checked, as after every read.
    ///
    /// - Throws: kind `generationExpired` if nobody holds the generation any more, `busy` if no
    ///   suitable read mark was found for half a second although another process holds it, `notWAL`
    ///   where read marks cannot be held.
    func adopt(_ name: GenerationName) throws(SQLiteError) -> Generation {
        if let examined { return try examinedGeneration(named: name, examined) }
        for attempt in 0..<Self.attempts {
            if attempt > 0 { usleep(Self.pause) }
            let adopted = try generation(named: name) { (serial) throws(SQLiteError) in try takeHold(for: name, serial: serial) }
            guard let adopted else { continue }
            adopted.publish()
            return adopted
        }
        throw SQLiteError(
            kind: .busy, extendedCode: SQLITE_BUSY | (2 << 8),
            message: "another process holds the generation, but its read marks are changing; try again", path: path)
    }

    /// - Returns: nil if another attempt may succeed.
    private func takeHold(for name: GenerationName, serial: UInt64) throws(SQLiteError) -> GenerationRecord.Hold? {
        guard let slots, let publications else {
            throw SQLiteError(
                kind: .notWAL, extendedCode: SQLITE_ERROR,
                message: "its read marks cannot be held here, so no other process's generation can be read", path: path)
        }
        guard publications.isHeldElsewhere(name) else {
            guard publications.isHeldElsewhere(name, in: .detached) else { throw expired }
            guard let pin = takeCopy(for: name, serial: serial) else { return nil }
            guard publications.isHeldElsewhere(name, in: .detached) else { throw expired }
            return .detached(pin)
        }
        guard let held = takeReadMark(for: name, slots) else { return nil }
        let pin = ReadMarkPin(slots: slots, held: held, serial: serial)
        guard publications.isHeldElsewhere(name) else {
            // It may have been moved to a copy at this moment.
            if publications.isHeldElsewhere(name, in: .detached) { return nil }
            throw expired
        }
        return pin.verdict(provedBy: index, after: .none).stands ? .pin(pin) : nil
    }

    /// The state in a copy that another process has made. Copies do not change, and they stay as
    /// long as a process uses them.
    private func takeCopy(for name: GenerationName, serial: UInt64) -> DetachedPin? {
        guard let (files, index, regions) = CopyFiles.using(path, holding: name),
            let entry = index.entries.first(where: { $0.header == name.header }),
            let copy = try? DetachedCopy(
                serial: serial + 1, files: files, regions: regions, bytes: files.size, didEnd: { [pools] in pools.closeReaders(ofCopy: $0) }
            )
        else { return nil }
        return DetachedPin(copy: copy, slot: entry.slot, header: entry.header, serial: serial)
    }

    var expired: SQLiteError {
        SQLiteError(kind: .generationExpired, extendedCode: SQLITE_MISUSE, message: "no process holds it any more", path: path)
    }

    /// Locks a read mark under which the state can be read, provided that another process has held
    /// the state the whole time.
    ///
    /// A read mark from 1 up fits if its value is not above the state's last frame: a checkpoint
    /// that copies more must change the mark first, and a checkpoint that ran earlier cannot have
    /// copied frames above the other process's mark.
    private func takeReadMark(for name: GenerationName, _ slots: ReadMarkPins) -> HeldMark? {
        let header = name.header
        if header.frame > 0 {
            for slot in 1..<WALIndex.slotCount {
                let mark = slots.acquire(slot) {
                    let mark = index.mark(slot)
                    return index.hasSalts(of: header) && mark <= header.frame && index.frameCount >= header.frame ? mark : nil
                }
                if let mark { return HeldMark(slot: slot, mark: mark, header: header, observation: slots.currentObservation(slot)) }
            }
        }
        // Under read mark 0 the content of the main file is read. It is the state if exactly the
        // state's frames have been copied; if the file has not been written since the state was
        // read from it; or if the journal has been restarted, which the other process can have
        // allowed only by holding nothing but read mark 0.
        let isWhole = slots.acquire(0) {
            if let stamp = name.stamp, stamp == (try? slots.fileStamp) { return 0 }
            guard index.hasSalts(of: header) else { return name.stamp == nil ? 0 : nil }
            return index.backfilledFrames == header.frame && index.attemptedBackfill <= header.frame ? 0 : nil
        }
        return isWhole.map { HeldMark(slot: 0, mark: $0, header: header, observation: slots.currentObservation(0)) }
    }
}
