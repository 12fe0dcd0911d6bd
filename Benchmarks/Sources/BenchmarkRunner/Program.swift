import BenchmarkSupport
import Foundation

/// The program around the workloads: lists them, measures a group, or is one peer of one workload.
public enum BenchmarkProgram {
    /// Does what the arguments ask for and ends the process with status 1 after an error.
    ///
    /// - Parameters:
    ///   - companions: what a ``Companion`` does, by name; is given its arguments.
    ///   - notes: added to the description of the machine, such as the version of SQLite.
    public static func main(
        _ groups: [Group], companions: [String: @Sendable ([String]) throws -> Void], notes: [String]
    ) {
        do {
            try run(Array(CommandLine.arguments.dropFirst()), groups, companions, notes)
        } catch {
            fflush(nil)
            FileHandle.standardError.write(Data("pinview-benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(
        _ arguments: [String], _ groups: [Group], _ companions: [String: @Sendable ([String]) throws -> Void], _ notes: [String]
    ) throws {
        switch arguments.first {
        case "list":
            for group in groups { print(([group.name + ":"] + group.workloads.map(\.name)).joined(separator: " ")) }
        case "companion":
            guard arguments.count > 1, let companion = companions[arguments[1]] else { throw BenchmarkError("there is no such companion") }
            try companion(Array(arguments.dropFirst(2)))
        case "cell":
            try runCell(Array(arguments.dropFirst()), groups)
        default:
            let options = try CommandLineOptions(arguments)
            guard let group = groups.first(where: { $0.name == options.group }) else {
                throw BenchmarkError("there is no group \(options.group); there are: \(groups.map(\.name).joined(separator: ", "))")
            }
            try measure(group, options, notes)
        }
    }

    private static func runCell(_ arguments: [String], _ groups: [Group]) throws {
        guard arguments.count >= 3,
            let work = groups.flatMap(\.workloads).lazy.filter({ $0.name == arguments[0] }).flatMap(\.peers).compactMap({ peer in
                if case .here(let work) = peer.work, peer.name == arguments[1] { work } else { nil }
            }).first
        else { throw BenchmarkError("usage: pinview-benchmarks cell WORKLOAD PEER FOLDER NAME=NUMBER…") }
        try work(Cell(folder: arguments[2], parameters: arguments.dropFirst(3)))
    }

    private static func measure(_ group: Group, _ options: CommandLineOptions, _ notes: [String]) throws {
        let workloads =
            try options.workloads.isEmpty
            ? group.workloads
            : options.workloads.map { name in
                guard let workload = group.workloads.first(where: { $0.name == name }) else {
                    throw BenchmarkError("the group \(group.name) has no workload \(name)")
                }
                return workload
            }
        let files = FileManager.default
        let parent = options.folder ?? (files.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : files.temporaryDirectory.path)
        let folder = parent + "/pinview-benchmarks-" + UUID().uuidString
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        let report = try Runner(options: options, folder: folder).run(group, workloads, notes: options.notes + notes)
        print(report.markdown, terminator: "")
        if let path = options.markdownPath { try report.markdown.write(toFile: path, atomically: true, encoding: .utf8) }
        if let path = options.jsonPath { try report.json.write(toFile: path, atomically: true, encoding: .utf8) }
        if let path = options.chartPath {
            let picture = group.curves.isEmpty ? Chart(report).svg : CurveChart(report).svg
            try picture.write(toFile: path, atomically: true, encoding: .utf8)
        }
        if let path = options.readmePath { try report.write(intoMarkedPartOf: path) }
    }
}
