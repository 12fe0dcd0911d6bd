import BenchmarkSupport

/// What the program was asked to do.
struct CommandLineOptions {
    static let usage = """
        usage: pinview-benchmarks GROUP [WORKLOAD…] [OPTION…]     measures a group, or some of its workloads
               pinview-benchmarks list                            names the groups and their workloads
          --quick, --tiny          less work; --tiny only shows that everything runs
          --rounds N               how often (5; 3 when quick, 1 when tiny)
          --folder PATH            where the stores are put (a file system in memory if there is one)
          --program NAME=COMMAND   the program of a peer that is none of this one's own
          --note TEXT              is added to the description of the machine
          --markdown PATH, --json PATH   writes the results to a file; the table is printed in any case
          --chart PATH             draws the ratios, or the curves of a group that has some, as SVG
          --readme PATH            puts the table into a file, between its markers
        """

    var group = ""
    var workloads: [String] = []
    var scale = Scale.full
    var rounds: Int?
    var folder: String?
    var programs: [String: String] = [:]
    var notes: [String] = []
    var markdownPath: String?
    var jsonPath: String?
    var chartPath: String?
    var readmePath: String?

    init(_ arguments: [String]) throws(BenchmarkError) {
        var rest = arguments[...]
        func value(of option: String) throws(BenchmarkError) -> String {
            guard let value = rest.popFirst() else { throw BenchmarkError("\(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": scale = .quick
            case "--tiny": scale = .tiny
            case "--rounds":
                guard let number = Int(try value(of: argument)), number > 0 else { throw BenchmarkError("--rounds needs a number above 0") }
                rounds = number
            case "--folder": folder = try value(of: argument)
            case "--program":
                let parts = try value(of: argument).split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { throw BenchmarkError("--program needs NAME=COMMAND") }
                programs[String(parts[0])] = String(parts[1])
            case "--note": notes.append(try value(of: argument))
            case "--markdown": markdownPath = try value(of: argument)
            case "--json": jsonPath = try value(of: argument)
            case "--chart": chartPath = try value(of: argument)
            case "--readme": readmePath = try value(of: argument)
            case let option where option.hasPrefix("-"): throw BenchmarkError("there is no option \(option)\n\(Self.usage)")
            case let name where group.isEmpty: group = name
            case let name: workloads.append(name)
            }
        }
        if group.isEmpty { throw BenchmarkError(Self.usage) }
    }
}
