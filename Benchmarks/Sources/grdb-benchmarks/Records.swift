import GRDB

/// A flight with all columns, decoded by position: the fastest way that the documentation of GRDB has for records.
struct Flight: FetchableRecord, TableRecord {
    static let databaseTableName = "ZFLIGHT"
    static var databaseSelection: [any SQLSelectable] {
        [
            "Z_PK", "Z_OPT", "ZAIRLINE", "ZPLANE", "ZORIGINAIRPORT", "ZDESTINATIONAIRPORT", "ZYEAR", "ZMONTH", "ZDAY", "ZDEPARTURETIME",
            "ZSCHEDULEDDEPARTURETIME", "ZDEPARTUREDELAY", "ZARRIVALTIME", "ZSCHEDULEDARRIVALTIME", "ZARRIVALDELAY", "ZNUMBER", "ZAIRTIME",
            "ZDISTANCE", "ZHOUR", "ZMINUTE", "ZSCHEDULEDHOUR", "ZCARRIER", "ZTAILNUMBER", "ZORIGIN", "ZDESTINATION",
        ].map { Column($0) }
    }
    static let plane = belongsTo(Plane.self, key: "plane", using: ForeignKey(["ZPLANE"], to: ["Z_PK"]))

    enum Columns {
        static let destination = Column("ZDESTINATION"), arrivalDelay = Column("ZARRIVALDELAY"), month = Column("ZMONTH")
        static let scheduledHour = Column("ZSCHEDULEDHOUR"), number = Column("ZNUMBER"), distance = Column("ZDISTANCE")
        static let airTime = Column("ZAIRTIME"), version = Column("Z_OPT"), minute = Column("ZMINUTE")
    }

    let key: Int64, version: Int64, airline: Int64?, planeKey: Int64?, originAirport: Int64?, destinationAirport: Int64?
    let year: Int?, month: Int?, day: Int?, departureTime: Int?, scheduledDepartureTime: Int?, departureDelay: Int?, arrivalTime: Int?
    let scheduledArrivalTime: Int?, arrivalDelay: Int?, number: Int?, airTime: Int?, distance: Int?, hour: Int?, minute: Int?
    let scheduledHour: Double?
    let carrier: String?, tailNumber: String?, origin: String?, destination: String?

    init(row: Row) {
        (key, version, airline, planeKey, originAirport, destinationAirport) = (row[0], row[1], row[2], row[3], row[4], row[5])
        (year, month, day, departureTime, scheduledDepartureTime) = (row[6], row[7], row[8], row[9], row[10])
        (departureDelay, arrivalTime, scheduledArrivalTime, arrivalDelay, number) = (row[11], row[12], row[13], row[14], row[15])
        (airTime, distance, hour, minute, scheduledHour) = (row[16], row[17], row[18], row[19], row[20])
        (carrier, tailNumber, origin, destination) = (row[21], row[22], row[23], row[24])
    }

    var six: Int64 {
        Int64(
            (month ?? 0) + (departureDelay ?? 0) + (arrivalDelay ?? 0) + (distance ?? 0) + (carrier?.utf8.count ?? 0)
                + (tailNumber?.utf8.count ?? 0))
    }

    var all: Int64 {
        let times = (departureTime ?? 0) + (scheduledDepartureTime ?? 0) + (arrivalTime ?? 0) + (scheduledArrivalTime ?? 0)
        let others = (year ?? 0) + (day ?? 0) + (number ?? 0) + (airTime ?? 0) + (hour ?? 0) + (minute ?? 0) + Int(scheduledHour ?? 0)
        return six + Int64(times + others + (origin?.utf8.count ?? 0) + (destination?.utf8.count ?? 0))
    }
}

struct Plane: FetchableRecord, TableRecord {
    static let databaseTableName = "ZPLANE"
    static var databaseSelection: [any SQLSelectable] {
        ["Z_PK", "Z_OPT", "ZYEAR", "ZENGINES", "ZSEATS", "ZSPEED", "ZTAILNUMBER", "ZTYPE", "ZMANUFACTURER", "ZMODEL", "ZENGINE"]
            .map { Column($0) }
    }

    let key: Int64, version: Int64, year: Int?, engines: Int?, seats: Int?, speed: Int?
    let tailNumber: String?, type: String?, manufacturer: String?, model: String?, engine: String?

    init(row: Row) {
        (key, version, year, engines, seats, speed) = (row[0], row[1], row[2], row[3], row[4], row[5])
        (tailNumber, type, manufacturer, model, engine) = (row[6], row[7], row[8], row[9], row[10])
    }
}

/// A flight and its plane, out of one join.
struct FlightWithPlane: FetchableRecord {
    let flight: Flight
    let plane: Plane?

    init(row: Row) {
        flight = Flight(row: row)
        plane = row["plane"]
    }
}

/// The six columns alone.
struct SixColumns: FetchableRecord, TableRecord {
    static let databaseTableName = "ZFLIGHT"
    static var databaseSelection: [any SQLSelectable] {
        ["ZMONTH", "ZDEPARTUREDELAY", "ZARRIVALDELAY", "ZDISTANCE", "ZCARRIER", "ZTAILNUMBER"].map { Column($0) }
    }

    let month: Int?, departureDelay: Int?, arrivalDelay: Int?, distance: Int?, carrier: String?, tailNumber: String?

    init(row: Row) {
        (month, departureDelay, arrivalDelay, distance, carrier, tailNumber) = (row[0], row[1], row[2], row[3], row[4], row[5])
    }

    var sum: Int64 {
        Int64(
            (month ?? 0) + (departureDelay ?? 0) + (arrivalDelay ?? 0) + (distance ?? 0) + (carrier?.utf8.count ?? 0)
                + (tailNumber?.utf8.count ?? 0))
    }
}

struct Person: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "ZPERSON"
    static var databaseSelection: [any SQLSelectable] {
        ["Z_PK", "Z_ENT", "Z_OPT", "ZFIRSTNAME", "ZLASTNAME", "ZEMAIL", "ZAGE", "ZHEIGHT"].map { Column($0) }
    }

    enum Columns {
        static let entity = Column("Z_ENT"), version = Column("Z_OPT")
        static let lastName = Column("ZLASTNAME"), age = Column("ZAGE")
    }

    var key: Int64?, entity: Int64, version: Int64
    var firstName: String, lastName: String, email: String
    var age: Int, height: Double

    init(number: Int) {
        key = nil
        (entity, version) = (2, 1)
        firstName = "First\(number % 500)"
        lastName = "Last\(number % 7919)"
        email = "person\(number)@example.com"
        age = number % 90
        height = 1.5 + Double(number % 50) / 100
    }

    init(row: Row) {
        (key, entity, version, firstName) = (row[0], row[1], row[2], row[3])
        (lastName, email, age, height) = (row[4], row[5], row[6], row[7])
    }

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = entity
        container["Z_OPT"] = version
        container["ZFIRSTNAME"] = firstName
        container["ZLASTNAME"] = lastName
        container["ZEMAIL"] = email
        container["ZAGE"] = age
        container["ZHEIGHT"] = height
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { key = inserted.rowID }
}

/// What is read of a person whose other values are known.
struct PersonKey: FetchableRecord, TableRecord {
    static let databaseTableName = "ZPERSON"
    static var databaseSelection: [any SQLSelectable] { [Column("Z_PK")] }

    let key: Int64

    init(row: Row) { key = row[0] }
}

/// Two columns of a person.
struct NameAndAge: FetchableRecord {
    let lastName: String, age: Int

    init(row: Row) { (lastName, age) = (row[0], row[1]) }
}

struct Car: FetchableRecord, PersistableRecord {
    static let databaseTableName = "ZCAR"

    let key: Int64, version: Int64, plate: String, brand: String, year: Int, price: Double, owner: Int64?

    init(row: Row) {
        (key, version, plate, brand) = (row["Z_PK"], row["Z_OPT"], row["ZPLATE"], row["ZBRAND"])
        (year, price, owner) = (row["ZYEAR"], row["ZPRICE"], row["ZOWNER"])
    }

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_OPT"] = version
        container["ZPLATE"] = plate
        container["ZBRAND"] = brand
        container["ZYEAR"] = year
        container["ZPRICE"] = price
        container["ZOWNER"] = owner
    }
}
