import BenchmarkSupport
import PinviewGenerations

/// The pins are spread evenly over the journal; a generation is read through a reader that is
/// opened for it, or that showed another one before.
func measureLateReaders(_ cell: Cell) throws {
    let store = try StoreFile.open(path: cell.store, options: StoreFileOptions())
    defer { store.close() }
    let writer = try Writer(cell.store)
    let rows = Int64(try cell.parameter("rows")), pins = try cell.parameter("pins"), samples = try cell.parameter("samples")
    var written = 0
    for size in ["1", "10", "100"] {
        let frames = try cell.parameter("frames" + size)
        var generations: [Generation] = []
        // The journal goes on from the size before.
        let step = max(1, (frames - written) / pins)
        for pin in 0..<pins {
            for _ in 0..<step {
                try writer.set(key(Int64(written), rows: rows - 1) + 1, Int64(written))
                written += 1
            }
            try writer.set(1, Int64(pin))
            generations.append(try store.currentGeneration())
        }
        func value(_ pin: Int, _ value: Int64) throws {
            guard value == Int64(pin) else { throw BenchmarkError("generation \(pin) reads \(value), which is not its own") }
        }
        var opened: [Double] = [], retargeted: [Double] = []
        for sample in 0..<samples {
            let pin = sample % pins
            // Another store on the file has readers of its own, and none at first.
            let other = try StoreFile.open(path: cell.store, options: StoreFileOptions())
            opened.append(try nanoseconds { try value(pin, try other.value(1, at: generations[pin])) })
            other.close()
        }
        // There are more generations than readers, which are handed on in turn.
        for sample in 0..<samples {
            let pin = sample % pins
            retargeted.append(try nanoseconds { try value(pin, try store.value(1, at: generations[pin])) })
        }
        try cell.measure("open" + size, medianOf: opened)
        try cell.measure("retarget" + size, medianOf: retargeted)
    }
}
