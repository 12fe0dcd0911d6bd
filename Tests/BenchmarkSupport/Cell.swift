/// Why a run was given up.
public struct BenchmarkError: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// One peer at one workload in one round, in a process of its own. What it reports goes to standard
/// output, a line each: `measure NAME VALUE` and `checksum NAME VALUE`, so that a program in any
/// language can be a peer.
public struct Cell: Sendable {
    /// The peer's own copy of what the workload prepared. It is removed afterwards.
    public let folder: String
    private let parameters: [String: Int]

    public init(folder: String, parameters: [String: Int]) {
        self.folder = folder
        self.parameters = parameters
    }

    /// - Parameter parameters: each as `NAME=NUMBER`.
    public init(folder: String, parameters: some Sequence<String>) throws(BenchmarkError) {
        var numbers: [String: Int] = [:]
        for parameter in parameters {
            let parts = parameter.split(separator: "=")
            guard parts.count == 2, let value = Int(parts[1]) else { throw BenchmarkError("no parameter: \(parameter)") }
            numbers[String(parts[0])] = value
        }
        self.init(folder: folder, parameters: numbers)
    }

    /// A parameter of the workload.
    public func parameter(_ name: String) throws(BenchmarkError) -> Int {
        guard let value = parameters[name] else { throw BenchmarkError("the workload has no parameter \(name)") }
        return value
    }

    public func path(_ name: String) -> String { folder + "/" + name }

    /// Reports a figure in its measure's base unit.
    public func measure(_ name: String, _ value: Double) { print("measure \(name) \(value)") }

    /// Reports the median of single figures.
    public func measure(_ name: String, medianOf values: [Double]) throws(BenchmarkError) {
        guard let value = median(values) else { throw BenchmarkError("\(name) was not measured") }
        measure(name, value)
    }

    /// Reports what the work gave: all peers that report under a name have to agree in every round.
    public func checksum(_ name: String, _ value: Int64) { print("checksum \(name) \(value)") }
}
