import BenchmarkSupport
import Foundation

/// All results of a group with what they were measured on.
public struct Report: Sendable {
    let group: Group
    let scale: Scale
    let rounds: Int
    let date: String
    let machine: String
    public internal(set) var results: [WorkloadResult] = []

    // MARK: Markdown

    /// A line about the run, and a table with a row for each measure.
    public var markdown: String {
        let most = results.flatMap(\.rounds.values).map(\.count).max() ?? 0
        let others = "fewer where a round takes long" + (most > rounds ? ", \(most) where it is short" : "")
        var runs = "medians of \(rounds) interleaved rounds (\(others))"
        if scale != .full { runs += ", a \(scale.rawValue) run" }
        var lines = ["Measured on \(date): \(machine); \(runs).", ""]
        let reference = group.columns[0].peer
        lines.append("| | " + group.columns.map(\.title).joined(separator: " | ") + " |")
        lines.append("| --- |" + String(repeating: " ---: |", count: group.columns.count))
        for result in results {
            for measure in result.measures {
                let cells = group.columns.map { cell(result, measure, $0.peer, reference) }
                guard cells.contains(where: { $0 != "–" }) else { continue }
                lines.append("| \(result.title(of: measure)) | " + cells.joined(separator: " | ") + " |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func cell(_ result: WorkloadResult, _ measure: Measure, _ peer: String, _ reference: String) -> String {
        guard let value = result.value(of: measure, peer: peer) else { return "–" }
        let text = measure.unit.text(value)
        guard let ratio = result.ratio(of: measure, peer: peer, to: reference) else { return text }
        return text + " **" + Unit.rounded(ratio) + "**"
    }

    /// Puts the table into a file, between its two markers.
    public func write(intoMarkedPartOf path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let begin = "<!-- benchmark:\(group.name):begin -->", end = "<!-- benchmark:\(group.name):end -->"
        guard let start = text.range(of: begin), let stop = text.range(of: end, range: start.upperBound..<text.endIndex) else {
            throw BenchmarkError("\(path) has no lines \(begin) and \(end)")
        }
        let new = text[..<start.upperBound] + "\n" + markdown + text[stop.lowerBound...]
        try String(new).write(toFile: path, atomically: true, encoding: .utf8)
    }

    // MARK: JSON

    private struct Row: Encodable {
        let workload, measure, title, unit, peer: String
        let median: Double
        let ratio: Double?
        let rounds: [Double]
    }

    private struct Document: Encodable {
        let group, date, machine, scale: String
        let rows: [Row]
        let checksums: [String: String]
    }

    public var json: String {
        get throws {
            let reference = group.columns[0].peer
            let rows = results.flatMap { result in
                result.measures.flatMap { measure in
                    group.columns.compactMap { column -> Row? in
                        guard let value = result.value(of: measure, peer: column.peer) else { return nil }
                        return Row(
                            workload: result.name, measure: measure.name, title: result.title(of: measure), unit: measure.unit.rawValue,
                            peer: column.peer, median: value, ratio: result.ratio(of: measure, peer: column.peer, to: reference),
                            rounds: (result.rounds[column.peer] ?? []).compactMap { $0[measure.name] })
                    }
                }
            }
            let checksums = results.flatMap { result in result.checksums.map { ("\(result.name).\($0)", $1.value) } }
            let document = Document(
                group: group.name, date: date, machine: machine, scale: scale.rawValue, rows: rows,
                checksums: Dictionary(checksums) { first, _ in first })
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
        }
    }
}

/// The kind of machine, without a name that tells which one.
enum Machine {
    static func description(folder: String, notes: [String]) -> String {
        let processor = value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown processor"
        let memory = (Double(ProcessInfo.processInfo.physicalMemory) / Double(1 << 30)).rounded()
        let system = value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=")?.filter { $0 != "\"" } ?? "Linux"
        var parts = ["\(ProcessInfo.processInfo.activeProcessorCount) × \(processor)", "\(Int(memory)) GiB", system]
        if let kind = fileSystem(of: folder) { parts.append("files on \(kind)") }
        return (parts + notes).joined(separator: ", ")
    }

    private static func value(of key: String, in path: String, separator: Character) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: separator, maxSplits: 1)
            if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == key {
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }

    /// The type of the mount with the longest path that the folder is in.
    private static func fileSystem(of folder: String) -> String? {
        guard let text = try? String(contentsOfFile: "/proc/mounts", encoding: .utf8) else { return nil }
        let mounts = text.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 2 }
        let own = mounts.filter { $0[1] == "/" || folder == $0[1] || folder.hasPrefix($0[1] + "/") }
        return own.max { $0[1].count < $1[1].count }.map { String($0[2]) }
    }
}
