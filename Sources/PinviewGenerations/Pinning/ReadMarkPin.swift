internal import CPlatform
import Glibc

/// A read mark that is held, and the state for which it was taken. Released with the last
/// reference.
final class ReadMarkPin: ReadPin, @unchecked Sendable {  // immutable
    /// The last frame that readers of the mark may see.
    let mark: UInt32
    let observed: FileObservation?
    private let slots: ReadMarkPins

    /// - Parameter held: acquired from `slots` for this pin.
    init(slots: ReadMarkPins, held: HeldMark, serial: UInt64) {
        self.slots = slots
        mark = held.mark
        observed = slots.observed(held.slot, observation: held.observation)
        super.init(slot: held.slot, header: held.header, serial: serial)
    }

    deinit { slots.release(slot) }

    /// Whether the pages read under the pin belong to its state.
    ///
    /// While a read mark above 0 is held, its value cannot change, and anything that could harm the
    /// pin changes it or the salts first.
    ///
    /// Under read mark 0 a writer may restart the journal, but nothing is copied into the file. A
    /// checkpoint that copies all the same first records how many frames it is going to copy. That
    /// number goes back to 0 after the salts have changed; from then on, and after a recovery, the
    /// file's modification time tells.
    override func verdict(provedBy index: WALIndex, after reads: PageReads) -> PinVerdict {
        #if DEBUG
            if InjectedFault.isProofOff { return .stands }
        #endif
        pinview_read_barrier()
        if slot != 0 {
            guard index.hasSalts(of: header), index.mark(slot) == mark else { return .lost(.locks) }
        } else {
            let attempted = index.attemptedBackfill
            pinview_read_barrier()
            if attempted > header.frame || !index.hasSalts(of: header) {
                do throws(SystemError) {
                    guard try observed?.stamp == slots.fileStamp else {
                        slots.noteLoss(slot, observed)
                        return .lost(.locks)
                    }
                } catch {
                    return .unknown(error)
                }
            }
        }
        return reads.fromMain || reads.fromJournal && !reads.isProved ? slots.verdict(of: self, observed, after: reads) : .stands
    }

    /// Whether the path of the journal still refers to the journal that the pin needs.
    override func namesJournal(_ path: String) -> Bool { slots.namesJournal(path) }
}
