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
}
