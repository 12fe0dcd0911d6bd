import BenchmarkSupport

/// How much is measured.
public enum Scale: String, Sendable, CaseIterable {
    /// Seconds: shows that a workload runs, its figures mean nothing.
    case tiny
    case quick
    case full

    public func pick<T>(tiny: T, quick: T, full: T) -> T {
        switch self {
        case .tiny: tiny
        case .quick: quick
        case .full: full
        }
    }
}

/// What a figure counts. Values are reported in the base unit that the case names.
public enum Unit: String, Sendable {
    case nanoseconds, bytes, count, perSecond
}

/// One row of the table.
public struct Measure: Sendable {
    public let name: String
    /// `{commits}` stands for the parameter of that name.
    public let title: String
    public let unit: Unit

    public init(_ name: String, _ title: String, _ unit: Unit) {
        self.name = name
        self.title = title
        self.unit = unit
    }
}

/// Who does the work: one column of the table.
public struct Peer: Sendable {
    public enum Work: Sendable {
        /// In this program, in a process of its own.
        case here(@Sendable (Cell) throws -> Void)
        /// In another program, which `--program NAME=COMMAND` names. It is started as
        /// `COMMAND cell WORKLOAD PEER FOLDER NAME=NUMBER…`, the parameters last, and writes the lines that a ``Cell`` writes.
        case program(String)
    }

    public let name: String
    public let work: Work

    public init(_ name: String, _ work: @escaping @Sendable (Cell) throws -> Void) {
        self.name = name
        self.work = .here(work)
    }

    public init(_ name: String, program: String) {
        self.name = name
        work = .program(program)
    }
}

/// How many of something there are, by scale.
public struct Parameter: Sendable {
    let name: String
    let value: @Sendable (Scale) -> Int

    public init(_ name: String, tiny: Int, quick: Int, full: Int) {
        self.name = name
        value = { $0.pick(tiny: tiny, quick: quick, full: full) }
    }
}

/// Work that several peers do alike.
public struct Workload: Sendable {
    public let name: String
    public let parameters: [Parameter]
    public let measures: [Measure]
    public let peers: [Peer]
    /// For work that takes long: no more rounds than this, before they are multiplied.
    public let mostRounds: Int
    /// How many times as many rounds a full run makes. For short work, whose time other load on the machine easily
    /// changes by half, and for work beside another process.
    public let roundFactor: Int
    /// Fills the folder that each peer gets a copy of.
    public let prepare: @Sendable (Cell) throws -> Void

    /// - Parameter prepare: is called once for each run of the workload.
    public init(
        _ name: String, parameters: [Parameter], measures: [Measure], peers: [Peer], mostRounds: Int = .max, roundFactor: Int = 1,
        prepare: @escaping @Sendable (Cell) throws -> Void = { _ in }
    ) {
        self.name = name
        self.parameters = parameters
        self.measures = measures
        self.peers = peers
        self.mostRounds = mostRounds
        self.roundFactor = roundFactor
        self.prepare = prepare
    }

    /// The same work done by others.
    ///
    /// - Parameters:
    ///   - parameters: take the place of those of the same names.
    ///   - more: what these peers measure besides.
    public func done(
        by peers: [Peer], parameters replaced: [Parameter] = [], measures more: [Measure] = [], mostRounds: Int = .max
    ) -> Workload {
        let names = Set(replaced.map(\.name))
        return Workload(
            name, parameters: parameters.filter { !names.contains($0.name) } + replaced, measures: measures + more, peers: peers,
            mostRounds: min(mostRounds, self.mostRounds), roundFactor: roundFactor, prepare: prepare)
    }

    /// The same with more peers.
    public func alsoDone(by others: [Peer], measures more: [Measure] = []) -> Workload { done(by: peers + others, measures: more) }
}

/// How a measure grows: its values in workloads that do the same with more and more.
public struct Curve: Sendable {
    public let title: String
    let measure: String
    let workloads: [String]
    /// The parameter that grows.
    let parameter: String

    public init(_ title: String, measure: String, of workloads: [Workload], by parameter: String) {
        self.title = title
        self.measure = measure
        self.workloads = workloads.map(\.name)
        self.parameter = parameter
    }
}

/// Workloads that share a table.
public struct Group: Sendable {
    public let name: String
    /// The columns: the name of a peer and its heading. The first one is what the others are compared with.
    public let columns: [(peer: String, title: String)]
    public let workloads: [Workload]
    /// What its picture shows instead of ratios.
    public let curves: [Curve]

    public init(_ name: String, columns: [(peer: String, title: String)], workloads: [Workload], curves: [Curve] = []) {
        self.name = name
        self.columns = columns
        self.workloads = workloads
        self.curves = curves
    }
}
