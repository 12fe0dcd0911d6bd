import BenchmarkRunner
import RawSQLite

BenchmarkProgram.main([generations], notes: ["SQLite \(String(cString: sqlite3_libversion()))"])
