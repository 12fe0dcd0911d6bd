import BenchmarkRunner
import RawSQLite

BenchmarkProgram.main(
    [generations, workloads, python, load, scale],
    companions: ["commit": commitWhenTold, "change-flights": changeFlights, "change-persons": changePersons],
    notes: ["SQLite \(String(cString: sqlite3_libversion()))"])
