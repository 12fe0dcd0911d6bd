import PinviewModel
import XCTest

@testable import PinviewStore

/// Which rows the cache gives to whom: DEC-22.
final class RowCacheTests: StoreTestCase {
    func test_RFR_02_aRowReadAtAGenerationThatIsNoLongerTheNewestTakesThePlaceOfAnOlderOne() throws {
        let store = try openStore(try TestModels.company())
        let reference = try store.insert("Guest", [["name": "Ada"]])[0]
        let row = try XCTUnwrap(try store.newestRow(reference)), cache = RowCache()
        let key = ObjectKey(storeNumber: 1, rootEntity: 0, primaryKey: reference.primaryKey)
        cache.register(key)
        cache.store([(key, row)], rank: 5, isNewest: true, stamp: 1, time: 1)
        let stamp = cache.advanceStamp()
        cache.store([(key, row)], rank: 7, isNewest: false, stamp: stamp, time: 2)
        XCTAssertNotNil(cache.newestRow(for: key, notBefore: stamp, earliestTime: 2))
        XCTAssertNotNil(cache.row(for: key, atRank: 5))
        XCTAssertEqual(cache.invariantViolations(requiring: [key]), [])
    }

    func test_FLT_16_aRowOfAnOlderGenerationIsNotForWhoReadsTheNewest() throws {
        let store = try openStore(try TestModels.company())
        let reference = try store.insert("Guest", [["name": "Ada"]])[0]
        let row = try XCTUnwrap(try store.newestRow(reference)), cache = RowCache()
        let key = ObjectKey(storeNumber: 1, rootEntity: 0, primaryKey: reference.primaryKey)
        cache.register(key)
        cache.store([(key, row)], rank: 5, isNewest: false, stamp: 1, time: 1)
        XCTAssertNil(cache.newestRow(for: key, notBefore: 0, earliestTime: -.infinity))
        XCTAssertNotNil(cache.row(for: key, atRank: 5))
        XCTAssertNil(cache.row(for: key, atRank: 6))
    }

    /// A row, and the cache that has its key registered once.
    private func makeCache() throws -> (cache: RowCache, key: ObjectKey, row: RowSnapshot) {
        let store = try openStore(try TestModels.company())
        let reference = try store.insert("Guest", [["name": "Ada"]])[0]
        let row = try XCTUnwrap(try store.newestRow(reference)), cache = RowCache()
        let key = ObjectKey(storeNumber: 1, rootEntity: 0, primaryKey: reference.primaryKey)
        cache.register(key)
        return (cache, key, row)
    }

    func test_DEC_22_soManyOlderGenerationsAreKept() throws {
        let (cache, key, row) = try makeCache()
        // In any order.
        for rank: UInt64 in [9, 3, 7, 5, 1, 8] { cache.store([(key, row)], rank: rank, isNewest: rank == 9, stamp: 1, time: Double(rank)) }

        XCTAssertEqual((1...10).filter { cache.row(for: key, atRank: $0) != nil }, [3, 5, 7, 8, 9])
        for rank: UInt64 in [3, 5, 7, 8, 9] { XCTAssertEqual(cache.readTime(for: key, atRank: rank), Double(rank)) }
        XCTAssertNil(cache.readTime(for: key, atRank: 1))
        XCTAssertEqual(cache.invariantViolations(requiring: [key]), [])
    }

    func test_DEC_22_withoutReadersOfOlderStatesNoneIsKept() throws {
        let (cache, key, row) = try makeCache()
        cache.store(row, for: key, rank: 5, isNewest: true, stamp: 1, time: 1, keepsOlder: false)
        cache.store(row, for: key, rank: 6, isNewest: true, stamp: 1, time: 2, keepsOlder: false)
        XCTAssertNil(cache.row(for: key, atRank: 5))
        XCTAssertEqual(cache.readTime(for: key, atRank: 6), 2)
        cache.store(row, for: key, rank: 7, isNewest: true, stamp: 1, time: 3, keepsOlder: true)
        XCTAssertNotNil(cache.row(for: key, atRank: 6))
        XCTAssertEqual(cache.invariantViolations(requiring: [key]), [])
    }

    /// A row read again at the same state replaces the first one only if that was the newest.
    func test_RFR_12_aRowReadAgainIsAsFreshAsTheLastReading() throws {
        let (cache, key, row) = try makeCache()
        cache.store([(key, row)], rank: 5, isNewest: true, stamp: 1, time: 1)
        cache.store([(key, row)], rank: 5, isNewest: true, stamp: 1, time: 2)
        XCTAssertEqual(cache.readTime(for: key, atRank: 5), 2)
        cache.store([(key, row)], rank: 5, isNewest: false, stamp: 1, time: 3)
        XCTAssertEqual(cache.readTime(for: key, atRank: 5), 2)
        XCTAssertNotNil(cache.newestRow(for: key, notBefore: 1, earliestTime: 2))
        XCTAssertNil(cache.newestRow(for: key, notBefore: 1, earliestTime: 2.5))
        XCTAssertNil(cache.newestRow(for: key, notBefore: 2, earliestTime: 0))
        XCTAssertEqual(cache.invariantViolations(requiring: [key]), [])
    }

    func test_BAT_09_anInvalidatedRowIsForItsGenerationOnly() throws {
        let (cache, key, row) = try makeCache()
        cache.store([(key, row)], rank: 5, isNewest: true, stamp: 1, time: 1)
        cache.invalidate([key])
        XCTAssertNil(cache.newestRow(for: key, notBefore: 0, earliestTime: -.infinity))
        XCTAssertNotNil(cache.row(for: key, atRank: 5))
        // It was still the newest: the same state is not kept twice.
        cache.store([(key, row)], rank: 5, isNewest: true, stamp: 1, time: 2)
        XCTAssertNotNil(cache.newestRow(for: key, notBefore: 0, earliestTime: 2))
        XCTAssertEqual(cache.invariantViolations(requiring: [key]), [])

        cache.invalidateAll(storeNumber: 1, rootEntity: 7)
        cache.invalidateAll(storeNumber: 2)
        XCTAssertNotNil(cache.newestRow(for: key, notBefore: 0, earliestTime: 2))
        cache.invalidateAll(storeNumber: 1, rootEntity: 0)
        XCTAssertNil(cache.newestRow(for: key, notBefore: 0, earliestTime: 2))
        cache.invalidate([key], keepsOlder: false)
        XCTAssertNotNil(cache.row(for: key, atRank: 5), "there was no newest one to forget")
        XCTAssertEqual(cache.invariantViolations(requiring: [key]), [])
    }

    func test_BAT_09_aRowWithoutAGenerationIsForgotten() throws {
        let (cache, key, row) = try makeCache()
        cache.store([(key, row)], rank: 0, isNewest: true, stamp: 1, time: 1)
        XCTAssertNotNil(cache.newestRow(for: key, notBefore: 1, earliestTime: 1))
        cache.invalidate([key])
        XCTAssertNil(cache.row(for: key, atRank: 0))
        XCTAssertEqual(cache.invariantViolations(requiring: [key]), [])
    }

    func test_FLT_15_theRowGoesWithTheLastOfItsObjects() throws {
        let (cache, key, row) = try makeCache()
        cache.register([key])
        for rank: UInt64 in [5, 6] { cache.store([(key, row)], rank: rank, isNewest: true, stamp: 1, time: 1) }
        cache.unregister(key)
        XCTAssertNotNil(cache.row(for: key, atRank: 5))
        XCTAssertNotNil(cache.row(for: key, atRank: 6))
        cache.unregister(key)
        XCTAssertNil(cache.row(for: key, atRank: 5))
        XCTAssertNil(cache.row(for: key, atRank: 6))
        // No context has registered it: the row is not kept.
        cache.store([(key, row)], rank: 7, isNewest: true, stamp: 1, time: 1)
        XCTAssertNil(cache.row(for: key, atRank: 7))
        cache.unregister(key)
        XCTAssertEqual(cache.invariantViolations(requiring: []), [])
    }

    /// The rows of a block are stored a few at a time, and released one by one.
    func test_FLT_15_aBlockGoesWithTheLastOfItsRows() throws {
        let (cache, key, row) = try makeCache()
        let others = (1...3).map { ObjectKey(storeNumber: 1, rootEntity: 0, primaryKey: key.primaryKey + $0) }
        cache.register(others)
        for key in [key] + others { cache.store([(key, row)], rank: 5, isNewest: true, stamp: 1, time: 1) }
        cache.store([(others[2], row)], rank: 6, isNewest: true, stamp: 1, time: 1)
        for key in [key] + others {
            XCTAssertNotNil(cache.row(for: key, atRank: 5))
            cache.unregister(key)
            XCTAssertNil(cache.row(for: key, atRank: 5))
        }
        // Another block with the same number.
        cache.register(key)
        cache.store([(key, row)], rank: 7, isNewest: true, stamp: 1, time: 1)
        XCTAssertNil(cache.row(for: key, atRank: 5))
        XCTAssertNotNil(cache.row(for: key, atRank: 7))
    }

    func test_DEC_22_rowsAreTakenTogetherOrNotAtAll() throws {
        let (cache, key, row) = try makeCache()
        let keys = [key.primaryKey, key.primaryKey + 1]
        cache.store([(key, row)], rank: 5, isNewest: true, stamp: 1, time: 1)
        func take(_ keys: [Int64], _ rank: UInt64, entity: Int32 = 0) -> Int? {
            cache.takeRows(keys, storeNumber: 1, rootEntity: entity, atRank: rank, isCounted: keys.map { _ in false })?.count
        }

        XCTAssertNil(take(keys, 5))
        XCTAssertNil(take([keys[0]], 6))
        XCTAssertNil(take([keys[0]], 5, entity: 1))
        XCTAssertEqual(take([keys[0]], 5), 1)
        cache.store([(key, row)], rank: 6, isNewest: true, stamp: 1, time: 1)
        XCTAssertEqual(take([keys[0]], 5), 1, "the older one")
        // Each of the two that were taken counts once, besides the first.
        for _ in 0..<2 { cache.unregister(key) }
        XCTAssertNotNil(cache.row(for: key, atRank: 5))
        cache.unregister(key)
        XCTAssertNil(cache.row(for: key, atRank: 5))
        XCTAssertEqual(cache.invariantViolations(requiring: []), [])
    }

    /// Rows cached for unpinned contexts are outdated by a save and by a newer state, not by
    /// reading the same or an older one.
    func test_DEC_22_aNewerStateIsNoticed() throws {
        let (cache, key, row) = try makeCache()
        func isNoticed(_ key: ObjectKey, _ rank: UInt64, isNewest: Bool = true) -> Bool {
            let before = cache.newestChanges.value
            cache.store([(key, row)], rank: rank, isNewest: isNewest, stamp: 1, time: 1)
            return cache.newestChanges.value != before
        }
        let elsewhere = ObjectKey(storeNumber: 2, rootEntity: 0, primaryKey: key.primaryKey)

        XCTAssertTrue(isNoticed(key, 5))
        XCTAssertFalse(isNoticed(key, 5))
        XCTAssertFalse(isNoticed(key, 4))
        XCTAssertFalse(isNoticed(key, 6, isNewest: false))
        XCTAssertTrue(isNoticed(key, 6))
        XCTAssertTrue(isNoticed(elsewhere, 6), "another store")
        XCTAssertTrue(isNoticed(elsewhere, 0), "a store without generations")
        XCTAssertTrue(isNoticed(elsewhere, 0))
        let before = cache.newestChanges.value
        cache.invalidate([])
        XCTAssertNotEqual(cache.newestChanges.value, before)
    }
}
