/// A piece of SQL with the values of its parameters, in order.
struct SQLText: Sendable {
    private(set) var text: String
    private(set) var bindings: [StoredCell]

    init(text: String = "", bindings: [StoredCell] = []) {
        self.text = text
        self.bindings = bindings
    }

    mutating func append(_ text: String) { self.text += text }

    mutating func append(_ other: SQLText) {
        text += other.text
        bindings += other.bindings
    }

    mutating func bind(_ cell: StoredCell) {
        text += "?"
        bindings.append(cell)
    }

    static func bound(_ cell: StoredCell) -> SQLText { SQLText(text: "?", bindings: [cell]) }

    static func + (left: SQLText, right: SQLText) -> SQLText {
        SQLText(text: left.text + right.text, bindings: left.bindings + right.bindings)
    }

    static func + (left: SQLText, right: String) -> SQLText { SQLText(text: left.text + right, bindings: left.bindings) }
    static func + (left: String, right: SQLText) -> SQLText { SQLText(text: left + right.text, bindings: right.bindings) }
}
