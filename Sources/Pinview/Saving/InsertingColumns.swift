import PinviewModel

extension BatchInsertRequest {
    /// Inserts the rows of a column fetch, from any store, reading and writing batch by batch.
    /// Names and types of the columns must match attributes and relationships of the entity;
    /// `objectID` does not. Attributes without a column get their default values.
    ///
    /// A mandatory attribute must have a value in each row. Primary keys of objects are taken as
    /// keys in the store that is written; URIs must belong to that store.
    public init(entityName: String, columns: ColumnStream) {
        self.init(entityName: entityName, source: StreamedColumns(columns))
    }

    /// - Parameter source: consumed by the first execution.
    package init(entityName: String, source: any InsertedColumns) {
        self.init(entityName: entityName) { _ in false }
        self.source = source
    }
}

/// A column stream as the source of a batch insert.
private final class StreamedColumns: InsertedColumns, @unchecked Sendable {  // used on the executing thread only
    private let stream: ColumnStream
    private var batch: ColumnBatch?

    init(_ stream: ColumnStream) { self.stream = stream }

    var columnNames: [String] { stream.columns.map(\.name) }

    func check(_ column: Int, for property: Property) throws(PinviewError) {
        let type = stream.columns[column].type
        let fits =
            switch type {
            case .boolean, .integer16, .integer32, .integer64, .float, .double, .decimal: Self.numbers.contains(property.attributeType)
            case .date: property.attributeType == .date
            case .string: property.attributeType == .string || property.attributeType == .uri
            case .binary: property.attributeType == .binaryData || property.attributeType == .transformable
            case .uuid: property.attributeType == .uuid
            case .objectKey, .objectURI: property.isRelationship
            }
        guard fits, property.isRelationship == (type == .objectKey || type == .objectURI) else {
            throw PinviewError(
                .wrongType,
                "\(property.qualifiedName) takes \(property.expectedTypeForPeople), but the column is of the type \(type.rawValue).")
        }
    }

    private static let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .decimal, .double, .float, .boolean]

    func nextBlock() throws(PinviewError) -> Int? {
        batch = try stream.next()
        return batch?.rowCount
    }

    func cell(_ column: Int, _ row: Int) throws(PinviewError) -> InsertedCell {
        guard let column = batch?.columns[column] else { return .null }
        // The bytes belong to the batch, which is kept until the next one.
        if column.isNull(row) { return .null }
        switch column.description.type {
        case .string, .objectURI: return .text(column.withBytes(row) { $0 })
        case .binary, .uuid: return .bytes(column.withBytes(row) { $0 })
        default:
            switch column[row] {
            case .integer(let integer): return .integer(integer)
            case .double(let double): return .double(double)
            case .boolean(let flag): return .boolean(flag)
            case .date(let date): return .date(date.timeIntervalSinceReferenceDate)
            case let value: return .value(value)
            }
        }
    }
}
