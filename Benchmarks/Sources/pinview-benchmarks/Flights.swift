import BenchmarkSupport
import Pinview

extension Value {
    /// What a value counts in a checksum.
    var number: Int64 {
        switch self {
        case .integer(let value): value
        case .string(let text): Int64(text.utf8.count)
        case .double(let value): Int64(value)
        case .boolean(let flag): flag ? 1 : 0
        case .date(let date): Int64(date.timeIntervalSinceReferenceDate)
        default: 0
        }
    }
}

/// Reads flights through Pinview, with the indexes of their attributes looked up once.
struct Flights {
    let coordinator: PersistentStoreCoordinator
    private let six: [Int]
    private let all: [Int]
    let distance: Int, number: Int, minute: Int, seats: Int
    private let storeIdentifier: String

    static let sixNames = ["month", "departureDelay", "arrivalDelay", "distance", "carrier", "tailNumber"]

    init(_ cell: Cell) throws {
        coordinator = try Stores.open(cell.flights, try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: cell.flights))
        let flight = try Self.indices("Flight", coordinator), plane = try Self.indices("Plane", coordinator)
        six = Self.sixNames.compactMap { flight[$0] }
        all = Array(flight.values)
        guard six.count == 6, all.count == 19, let distance = flight["distance"], let number = flight["number"],
            let minute = flight["minute"], let seats = plane["seats"], let store = coordinator.persistentStores.first
        else { throw BenchmarkError("the model is not that of the flights") }
        (self.distance, self.number, self.minute, self.seats) = (distance, number, minute, seats)
        storeIdentifier = store.identifier
    }

    private static func indices(_ entity: String, _ coordinator: PersistentStoreCoordinator) throws -> [String: Int] {
        guard let entity = coordinator.managedObjectModel.entity(named: entity) else {
            throw BenchmarkError("there is no entity \(entity)")
        }
        let attributes = entity.properties.enumerated().filter { $0.element.isAttribute }
        return Dictionary(uniqueKeysWithValues: attributes.map { ($0.element.name, $0.offset) })
    }

    /// The ID of the flight with that key.
    func id(_ key: Int64) throws -> ManagedObjectID? {
        try coordinator.managedObjectID(forURIRepresentation: "x-coredata://\(storeIdentifier)/Flight/p\(key)")
    }

    /// The first so many flights, realised; all of them if 0.
    static func request(limit: Int = 0) -> FetchRequest {
        var request = FetchRequest(entityName: "Flight")
        request.fetchLimit = limit
        request.returnsObjectsAsFaults = false
        return request
    }

    func readSix(_ flight: ManagedObject) throws -> Int64 {
        var sum: Int64 = 0
        for index in six { sum += try flight.attributeValue(at: index).number }
        return sum
    }

    func readSix(_ flights: FetchResult) throws -> Int64 {
        var sum: Int64 = 0
        for flight in flights { sum += try readSix(flight) }
        return sum
    }

    func readAll(_ flight: ManagedObject) throws -> Int64 {
        var sum: Int64 = 0
        for index in all { sum += try flight.attributeValue(at: index).number }
        return sum
    }
}

/// How many rows a fetch with that limit gives.
func rows(_ limit: Int) -> Double { limit == 0 ? Double(FlightStore.rows) : Double(limit) }
