/// The names of one side of a join table, quoted if necessary.
struct JoinNames {
    let table: String
    let owner: String
    let member: String
    let order: String?

    init(_ side: JoinSide) {
        table = SQLIdentifier.quoted(side.table)
        owner = SQLIdentifier.quoted(side.owner)
        member = SQLIdentifier.quoted(side.member)
        order = side.order.map(SQLIdentifier.quoted)
    }
}
