/// The median; nil without values.
public func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// The quantile: the value below which the given share of the values lies. Nil without values.
public func percentile(_ values: [Double], _ share: Double) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
}

/// Which row the n-th operation of a workload reads first. The hand-written loops compute the same.
public func key(_ operation: Int64, rows: Int64) -> Int64 { 1 + Int64(UInt64(operation) &* 2_654_435_761 % UInt64(rows - 99)) }
