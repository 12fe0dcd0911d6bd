/// The first of `count` positions for which a condition no longer holds.
@inlinable
package func partitionPoint<Failure: Error>(_ count: Int, _ isBefore: (Int) throws(Failure) -> Bool) throws(Failure) -> Int {
    var low = 0, high = count
    while low < high {
        let middle = (low + high) / 2
        if try isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
}
