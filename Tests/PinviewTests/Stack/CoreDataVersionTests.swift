import Pinview
import XCTest

/// The version constants of Core Data, as published (API-V01 to API-V40).
final class CoreDataVersionTests: XCTestCase {
    /// Row of the ledger, constant, published value.
    static let published: [(row: String, constant: Double, value: Double)] = [
        ("API-V02", CoreDataVersions.NSCoreDataVersionNumber10_10, 526.0),
        ("API-V03", CoreDataVersions.NSCoreDataVersionNumber10_10_2, 526.1),
        ("API-V04", CoreDataVersions.NSCoreDataVersionNumber10_10_3, 526.2),
        ("API-V05", CoreDataVersions.NSCoreDataVersionNumber10_11, 640.0),
        ("API-V06", CoreDataVersions.NSCoreDataVersionNumber10_11_3, 641.3),
        ("API-V07", CoreDataVersions.NSCoreDataVersionNumber10_4, 46.0),
        ("API-V08", CoreDataVersions.NSCoreDataVersionNumber10_4_3, 77.0),
        ("API-V09", CoreDataVersions.NSCoreDataVersionNumber10_5, 185.0),
        ("API-V10", CoreDataVersions.NSCoreDataVersionNumber10_5_3, 186.0),
        ("API-V11", CoreDataVersions.NSCoreDataVersionNumber10_6, 246.0),
        ("API-V12", CoreDataVersions.NSCoreDataVersionNumber10_6_2, 250.0),
        ("API-V13", CoreDataVersions.NSCoreDataVersionNumber10_6_3, 251.0),
        ("API-V14", CoreDataVersions.NSCoreDataVersionNumber10_7, 358.4),
        ("API-V15", CoreDataVersions.NSCoreDataVersionNumber10_7_2, 358.12),
        ("API-V16", CoreDataVersions.NSCoreDataVersionNumber10_7_3, 358.13),
        ("API-V17", CoreDataVersions.NSCoreDataVersionNumber10_7_4, 358.14),
        ("API-V18", CoreDataVersions.NSCoreDataVersionNumber10_8, 407.5),
        ("API-V19", CoreDataVersions.NSCoreDataVersionNumber10_8_2, 407.7),
        ("API-V20", CoreDataVersions.NSCoreDataVersionNumber10_9, 481.0),
        ("API-V21", CoreDataVersions.NSCoreDataVersionNumber10_9_2, 481.1),
        ("API-V22", CoreDataVersions.NSCoreDataVersionNumber10_9_3, 481.3),
        ("API-V23", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_3_0, 241.0),
        ("API-V24", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_3_1, 248.0),
        ("API-V25", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_3_2, 310.2),
        ("API-V26", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_4_0, 320.5),
        ("API-V27", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_4_1, 320.11),
        ("API-V28", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_4_2, 320.15),
        ("API-V29", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_4_3, 320.17),
        ("API-V30", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_5_0, 386.1),
        ("API-V31", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_5_1, 386.5),
        ("API-V32", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_6_0, 419.0),
        ("API-V33", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_6_1, 419.1),
        ("API-V34", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_7_0, 479.1),
        ("API-V35", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_7_1, 479.3),
        ("API-V36", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_8_0, 519.0),
        ("API-V37", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_8_3, 519.15),
        ("API-V38", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_9_0, 640.0),
        ("API-V39", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_9_2, 641.4),
        ("API-V40", CoreDataVersions.NSCoreDataVersionNumber_iPhoneOS_9_3, 641.6),
    ]

    func test_API_V02_toV40_haveTheirPublishedValues() {
        XCTAssertEqual(Self.published.count, 39)
        for (row, constant, value) in Self.published { XCTAssertEqual(constant, value, row) }
    }

    func test_API_V01_theLibraryDependsOnAllOfThem() {
        XCTAssertEqual(CoreDataVersions.NSCoreDataVersionNumber, PinviewVersion.coreDataVersionNumber)
        for (row, constant, _) in Self.published { XCTAssertGreaterThan(CoreDataVersions.NSCoreDataVersionNumber, constant, row) }
    }
}
