import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

/// A history of 1 to 100,000 transactions.
let someHistories = [
    rememberSome("scale-history-1", tiny: 1, quick: 1, full: 1),
    rememberSome("scale-history-2", tiny: 10, quick: 100, full: 100),
    rememberSome("scale-history-3", tiny: 20, quick: 1_000, full: 1_000),
    rememberSome("scale-history-4", tiny: 50, quick: 3_000, full: 10_000),
    rememberSome("scale-history-5", tiny: 100, quick: 10_000, full: 100_000),
]

private func rememberSome(_ name: String, tiny: Int, quick: Int, full: Int) -> Workload {
    Workload(
        name,
        parameters: [
            Parameter("transactions", tiny: tiny, quick: quick, full: full), Parameter("persons", tiny: 1_000, quick: 1_000, full: 1_000),
        ],
        measures: [
            Measure("save", "save a change with {transactions} transactions in the history", .nanoseconds),
            Measure("last", "fetch the last of {transactions} transactions of the history", .nanoseconds),
            Measure("whole", "fetch all {transactions} transactions of the history with their changes; per transaction", .nanoseconds),
        ],
        peers: [Peer("swift", swiftRememberSome)], mostRounds: 3,
        prepare: { cell in
            try PeopleStore.prepare(cell, history: true)
            let database = raw_open_cached(cell.people)
            raw_people_save_often(database, Int64(try cell.parameter("transactions")), 1_000, 1, nil)
            raw_close(database)
        })
}

private let repeats = 100

private func swiftRememberSome(_ cell: Cell) throws {
    let context = try PeopleStore.context(cell, history: true), age = try PersonAttributes(context).age
    func transactions(after token: PersistentHistoryToken?) throws -> [PersistentHistoryTransaction] {
        guard case .transactions(let transactions) = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token)) else {
            throw BenchmarkError("there is no history")
        }
        return transactions
    }
    var found: [PersistentHistoryTransaction] = []
    let whole = try processorNanoseconds { found = try transactions(after: nil) }
    cell.measure("whole", whole / Double(found.count))
    guard found.count >= (try cell.parameter("transactions")) else { throw BenchmarkError("the history is not complete") }
    let token = found.count > 1 ? found[found.count - 2].token : nil
    found = []
    let last = try (0..<repeats).map { _ in
        try nanoseconds {
            guard try transactions(after: token).count == 1 else { throw BenchmarkError("there are more transactions after the token") }
        }
    }
    try cell.measure("last", medianOf: last)
    guard let person = try context.fetch(FetchRequest(entityName: "Person")).first else { throw BenchmarkError("there is nobody") }
    let saves = try (0..<repeats).map { number in
        try nanoseconds {
            try person.setAttributeValue(.integer(Int64(number)), at: age)
            try context.save()
        }
    }
    try cell.measure("save", medianOf: saves)
}
