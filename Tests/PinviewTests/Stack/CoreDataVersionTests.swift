import Pinview
import XCTest

/// The version constants of Core Data, as published (API-V01 to API-V40).
final class CoreDataVersionTests: XCTestCase {
    /// Row of the ledger, constant, published value.
    static let published: [(row: String, constant: Double, value: Double)] = [
        ("API-V02", NSCoreDataVersionNumber10_10, 526.0),
        ("API-V03", NSCoreDataVersionNumber10_10_2, 526.1),
        ("API-V04", NSCoreDataVersionNumber10_10_3, 526.2),
        ("API-V05", NSCoreDataVersionNumber10_11, 640.0),
        ("API-V06", NSCoreDataVersionNumber10_11_3, 641.3),
        ("API-V07", NSCoreDataVersionNumber10_4, 46.0),
        ("API-V08", NSCoreDataVersionNumber10_4_3, 77.0),
        ("API-V09", NSCoreDataVersionNumber10_5, 185.0),
        ("API-V10", NSCoreDataVersionNumber10_5_3, 186.0),
        ("API-V11", NSCoreDataVersionNumber10_6, 246.0),
        ("API-V12", NSCoreDataVersionNumber10_6_2, 250.0),
        ("API-V13", NSCoreDataVersionNumber10_6_3, 251.0),
        ("API-V14", NSCoreDataVersionNumber10_7, 358.4),
        ("API-V15", NSCoreDataVersionNumber10_7_2, 358.12),
        ("API-V16", NSCoreDataVersionNumber10_7_3, 358.13),
        ("API-V17", NSCoreDataVersionNumber10_7_4, 358.14),
        ("API-V18", NSCoreDataVersionNumber10_8, 407.5),
        ("API-V19", NSCoreDataVersionNumber10_8_2, 407.7),
        ("API-V20", NSCoreDataVersionNumber10_9, 481.0),
        ("API-V21", NSCoreDataVersionNumber10_9_2, 481.1),
        ("API-V22", NSCoreDataVersionNumber10_9_3, 481.3),
        ("API-V23", NSCoreDataVersionNumber_iPhoneOS_3_0, 241.0),
        ("API-V24", NSCoreDataVersionNumber_iPhoneOS_3_1, 248.0),
        ("API-V25", NSCoreDataVersionNumber_iPhoneOS_3_2, 310.2),
        ("API-V26", NSCoreDataVersionNumber_iPhoneOS_4_0, 320.5),
        ("API-V27", NSCoreDataVersionNumber_iPhoneOS_4_1, 320.11),
        ("API-V28", NSCoreDataVersionNumber_iPhoneOS_4_2, 320.15),
        ("API-V29", NSCoreDataVersionNumber_iPhoneOS_4_3, 320.17),
        ("API-V30", NSCoreDataVersionNumber_iPhoneOS_5_0, 386.1),
        ("API-V31", NSCoreDataVersionNumber_iPhoneOS_5_1, 386.5),
        ("API-V32", NSCoreDataVersionNumber_iPhoneOS_6_0, 419.0),
        ("API-V33", NSCoreDataVersionNumber_iPhoneOS_6_1, 419.1),
        ("API-V34", NSCoreDataVersionNumber_iPhoneOS_7_0, 479.1),
        ("API-V35", NSCoreDataVersionNumber_iPhoneOS_7_1, 479.3),
        ("API-V36", NSCoreDataVersionNumber_iPhoneOS_8_0, 519.0),
        ("API-V37", NSCoreDataVersionNumber_iPhoneOS_8_3, 519.15),
        ("API-V38", NSCoreDataVersionNumber_iPhoneOS_9_0, 640.0),
        ("API-V39", NSCoreDataVersionNumber_iPhoneOS_9_2, 641.4),
        ("API-V40", NSCoreDataVersionNumber_iPhoneOS_9_3, 641.6),
    ]

    func test_API_V02_toV40_haveTheirPublishedValues() {
        XCTAssertEqual(Self.published.count, 39)
        for (row, constant, value) in Self.published { XCTAssertEqual(constant, value, row) }
    }

    func test_API_V01_theLibraryStandsAboveAllOfThem() {
        XCTAssertEqual(NSCoreDataVersionNumber, PinviewVersion.coreDataVersionNumber)
        for (row, constant, _) in Self.published { XCTAssertGreaterThan(NSCoreDataVersionNumber, constant, row) }
    }
}
