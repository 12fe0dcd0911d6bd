/// Numbers for table aliases, unique in a whole statement.
final class AliasCounter {
    private var last = 0

    func next() -> String {
        last += 1
        return "t\(last)"
    }
}
