/// The report as a table for people. The format is not stable.
extension JournalReport {
    /// The report as a table of several lines.
    public var description: String {
        var lines = ["\(Self.printable(path)): \(Self.size(storeBytes)), journal \(Self.size(journalBytes))"]
        if frames == 0 {
            lines.append("  the journal is empty")
        } else {
            let rest = frames - copiedFrames - reclaimableFrames
            lines.append(
                "  frames of \(pageSize) bytes: \(frames), copied into the store \(copiedFrames), next checkpoint can copy \(reclaimableFrames), "
                    + "held back \(rest)")
        }
        lines += costLines
        if isOpenHere { lines += generationLines }
        lines += processLines
        if isOpenHere {
            let counts = [
                ("pins", counters.pins), ("shared pins", counters.sharedPins), ("adoptions", counters.adoptions),
                ("advances", counters.advances), ("reads", counters.reads), ("waits for a reader", counters.readerWaits),
                ("checkpoints", counters.checkpoints), ("of them busy", counters.busyCheckpoints), ("detaches", counters.detaches),
                ("lost", counters.lost),
            ]
            let texts = counts.map { "\($0.0) \($0.1)" }
            lines += ["", "  since the file was opened: " + texts[..<6].joined(separator: ", ") + ","]
            lines.append("  " + texts[6...].joined(separator: ", "))
        }
        let advice = hasWALResetBug ? ", with the WAL-reset bug (sqlite.org/wal.html), which this library avoids" : ""
        if hasSecondSQLite {
            lines += ["", "  A second copy of SQLite in this process has the file open. If it writes, it can corrupt the store."]
        }
        return (lines + ["  SQLite \(sqliteVersion)\(advice)"]).joined(separator: "\n")
    }

    /// What pins and history take up besides the journal.
    private var costLines: [String] {
        var costs: [String] = []
        if copyCount > 0 { costs.append("\(copyCount == 1 ? "1 detached copy" : "\(copyCount) detached copies") \(Self.size(copyBytes))") }
        if let historyBytes, historyBytes > 0 { costs.append("history about \(Self.size(historyBytes))") }
        if costs.isEmpty { return [] }
        return ["  besides: " + costs.joined(separator: ", ") + (budgetBytes.map { " (budget for all: \(Self.size($0)))" } ?? "")]
    }

    private var generationLines: [String] {
        var rows: [[String]] = []
        for generation in generations {
            let first = [
                "\(generation.ordinal)" + (generation.isNewest ? " (newest)" : "") + (generation.isDetached ? " (detached)" : ""),
                Self.duration(generation.age), "\(generation.frame)", generation.readMark.map { "\($0)" } ?? "-",
                generation.framesHeldBack == 0
                    ? "nothing" : "\(generation.framesHeldBack) frames, \(Self.size(generation.bytesHeldBack))",
                "\(generation.readersOpen)",
            ]
            let contexts = generation.contexts.map(Self.text)
            rows.append(first + [contexts.first ?? "none; a read or a save is under way"])
            rows += contexts.dropFirst().map { Array(repeating: "", count: first.count) + [$0] }
        }
        var lines = [""]
        if rows.isEmpty {
            lines.append("  no generation is held by this process")
        } else {
            let titles = ["generation", "age", "frame", "read mark", "holds back", "readers", "contexts"]
            lines += Self.table([titles] + rows, rightAligned: [1, 2, 3, 5])
        }
        if !waitingContexts.isEmpty {
            lines.append("  will pin at their next read: " + waitingContexts.map(Self.text).joined(separator: ", "))
        }
        return lines
    }

    private var processLines: [String] {
        guard !processes.isEmpty else { return ["", "  no process has the file open"] }
        let rows = processes.map { process -> [String] in
            let marks = process.readMarks.map { $0.number == 0 ? "0 (nothing of the journal)" : "\($0.number) at frame \($0.frame)" }
            let doing = (process.isWriting ? ["writes"] : []) + (process.isCheckpointing ? ["checkpoints"] : [])
            return [
                process.identifier.map { "\($0)" } ?? "?",
                (process.command.map(Self.printable) ?? "unknown process") + (process.isThisProcess ? " (this one)" : ""),
                marks.isEmpty ? "none" : marks.joined(separator: ", "), doing.joined(separator: ", "),
            ]
        }
        return [""] + Self.table([["process", "command", "read marks", ""]] + rows, rightAligned: [0])
    }

    private static func text(_ context: Context) -> String {
        let author = context.transactionAuthor.map { "author \(printable($0)), " } ?? ""
        return (context.name.map(printable) ?? "unnamed") + " (\(author)\(context.thread))"
    }

    /// Lines with aligned columns.
    private static func table(_ rows: [[String]], rightAligned: Set<Int>) -> [String] {
        var widths = [Int](repeating: 0, count: rows.first?.count ?? 0)
        for row in rows { for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.count) } }
        return rows.map { row in
            var line = ""
            for (column, text) in row.enumerated() {
                let space = String(repeating: " ", count: widths[column] - text.count)
                line += "  " + (rightAligned.contains(column) ? space + text : text + space)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// A number of bytes for people: `512 bytes`, `4.1 MB`.
    private static func size(_ bytes: Int64) -> String {
        var value = bytes, rest: Int64 = 0
        for unit in ["bytes", "KB", "MB", "GB"] {
            if value < 1000 { return unit == "bytes" ? "\(value) bytes" : "\(value).\(rest) \(unit)" }
            (value, rest) = (value / 1000, value % 1000 / 100)
        }
        return "\(value).\(rest) TB"
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e12))
        return switch whole {
        case ..<10: "\(whole).\(Int(seconds * 10) % 10) s"
        case ..<120: "\(whole) s"
        case ..<7200: "\(whole / 60) min"
        case ..<172_800: "\(whole / 3600) h"
        default: "\(whole / 86400) days"
        }
    }

    /// Names can contain anything: keep them from moving a terminal's cursor or starting a new
    /// line.
    private static func printable(_ text: String) -> String {
        String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "?" : $0 })
    }
}
