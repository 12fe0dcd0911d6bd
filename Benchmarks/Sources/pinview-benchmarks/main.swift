import BenchmarkRunner
import RawSQLite

BenchmarkProgram.main(
    [generations, workloads],
    companions: ["commit": commitWhenTold],
    notes: ["SQLite \(String(cString: sqlite3_libversion()))"])
