import BenchmarkSupport
import Foundation

/// Runs workloads: each peer of each round in a process of its own, the peers of a workload side by side and in another
/// order each round, so that what else the machine does meets them alike.
struct Runner {
    let options: CommandLineOptions
    /// Holds everything that is written; removed at the end.
    let folder: String

    func run(_ group: Group, _ workloads: [Workload], notes: [String]) throws -> Report {
        let rounds = options.rounds ?? options.scale.pick(tiny: 1, quick: 3, full: 5)
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = .withFullDate
        var report = Report(
            group: group, scale: options.scale, rounds: rounds, date: formatter.string(from: Date()),
            machine: Machine.description(folder: folder, notes: notes))
        let isFull = options.rounds == nil && options.scale == .full
        for workload in workloads {
            report.results.append(try run(workload, rounds: min(rounds, workload.mostRounds) * (isFull ? workload.roundFactor : 1)))
        }
        return report
    }

    private func run(_ workload: Workload, rounds: Int) throws -> WorkloadResult {
        let parameters = Dictionary(uniqueKeysWithValues: workload.parameters.map { ($0.name, $0.value(options.scale)) })
        var result = WorkloadResult(workload, parameters)
        let template = folder + "/template"
        try FileManager.default.createDirectory(atPath: template, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: template) }
        try workload.prepare(Cell(folder: template, parameters: parameters))
        for round in 0..<rounds {
            say("\(workload.name), round \(round + 1) of \(rounds)")
            for place in workload.peers.indices {
                let peer = workload.peers[(place + round) % workload.peers.count]
                let copy = folder + "/" + peer.name
                try FileManager.default.copyItem(atPath: template, toPath: copy)
                defer { try? FileManager.default.removeItem(atPath: copy) }
                var values: [String: Double] = [:]
                for line in try output(of: peer, workload, parameters, folder: copy).split(separator: "\n") {
                    try result.add(line: line, peer: peer.name, to: &values)
                }
                guard !values.isEmpty else { throw BenchmarkError("\(workload.name), \(peer.name): nothing was measured") }
                result.rounds[peer.name, default: []].append(values)
            }
        }
        return result
    }

    private func output(of peer: Peer, _ workload: Workload, _ parameters: [String: Int], folder: String) throws -> String {
        var command = [CommandLine.arguments[0]]
        if case .program(let name) = peer.work {
            guard let program = options.programs[name] else {
                throw BenchmarkError("\(workload.name) needs --program \(name)=COMMAND for its peer \(peer.name)")
            }
            command = program.split(separator: " ").map(String.init)
        }
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + ["cell", workload.name, peer.name, folder] + parameters.map { "\($0)=\($1)" }.sorted()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0, process.terminationReason == .exit else {
            throw BenchmarkError("\(workload.name), \(peer.name): the process ended with status \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
