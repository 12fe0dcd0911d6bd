import Foundation

/// Random numbers that a failed test can repeat: SplitMix64 by Steele, Lea and Flood ("Fast
/// Splittable Pseudorandom Number Generators", 2014), which gives the same numbers for the same seed
/// everywhere.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The environment variable `PINVIEW_SEED`, which repeats a test.
    package static var givenSeed: UInt64? { ProcessInfo.processInfo.environment["PINVIEW_SEED"].flatMap(UInt64.init) }

    /// A generator whose seed, the given one or 1, is printed.
    package static func announced(_ test: String) -> SeededGenerator {
        let seed = givenSeed ?? 1
        print("\(test): PINVIEW_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True once in so many times on average.
    package mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }
}
