import BenchmarkSupport

/// What the processes of a workload reported.
public struct WorkloadResult: Sendable {
    public let name: String
    public let measures: [Measure]
    let parameters: [String: Int]
    /// By peer, one entry for each round: the values by measure.
    var rounds: [String: [[String: Double]]] = [:]
    /// By name: the value, and who reported it first.
    var checksums: [String: (value: String, peer: String)] = [:]

    init(_ workload: Workload, _ parameters: [String: Int]) {
        self.parameters = parameters
        name = workload.name
        measures = workload.measures
    }

    /// Takes in a line of a peer's process.
    ///
    /// - Throws: when a peer's results are not those of the others.
    mutating func add(line: Substring, peer: String, to values: inout [String: Double]) throws(BenchmarkError) {
        let words = line.split(separator: " ")
        guard words.count == 3 else { throw BenchmarkError("\(name), \(peer): no line of a benchmark: \(line)") }
        let key = String(words[1])
        switch words[0] {
        case "measure":
            guard let value = Double(words[2]) else { throw BenchmarkError("\(name), \(peer): no number: \(line)") }
            guard measures.contains(where: { $0.name == key }) else {
                throw BenchmarkError("\(name), \(peer): the workload has no measure \(key)")
            }
            values[key] = value
        case "checksum":
            let value = String(words[2])
            let known = checksums[key] ?? (value, peer)
            checksums[key] = known
            guard known.value == value else {
                throw BenchmarkError("\(name): the checksum \(key) of \(peer) is \(value), that of \(known.peer) is \(known.value)")
            }
        default:
            throw BenchmarkError("\(name), \(peer): no line of a benchmark: \(line)")
        }
    }

    /// The heading of a row, with the parameters that it names.
    public func title(of measure: Measure) -> String {
        parameters.reduce(measure.title) { $0.replacing("{\($1.key)}", with: Unit.grouped($1.value)) }
    }

    /// How many of something there were.
    func parameter(_ name: String) -> Int? { parameters[name] }

    /// The median of a peer's rounds; nil when it does not do this.
    public func value(of measure: Measure, peer: String) -> Double? {
        median((rounds[peer] ?? []).compactMap { $0[measure.name] })
    }

    /// The median of the ratios of each round; nil when either does not do this.
    public func ratio(of measure: Measure, peer: String, to reference: String) -> Double? {
        guard peer != reference, let own = rounds[peer], let others = rounds[reference] else { return nil }
        return median(
            zip(own, others).compactMap { own, other in
                guard let value = own[measure.name], let base = other[measure.name], base != 0 else { return nil }
                return value / base
            })
    }
}
