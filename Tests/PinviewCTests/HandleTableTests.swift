import Foundation
import RandomSupport
import StressSupport
import Synchronization
import XCTest

@testable import PinviewC

/// The object behind a handle in these tests.
private final class Thing: @unchecked Sendable {  // the handle is written before others have it
    static let living = Atomic<Int>(0)
    var handle: OpaquePointer?
    /// Identifies it without a reference.
    let number = Thing.made.add(1, ordering: .relaxed).newValue
    private static let made = Atomic<UInt64>(0)

    init() { Thing.living.add(1, ordering: .relaxed) }
    deinit { Thing.living.subtract(1, ordering: .relaxed) }
}

/// Handles that several threads make, retain, release and look up at the same time. `PINVIEW_SEED`
/// makes them choose otherwise.
final class HandleTableTests: XCTestCase {
    private let seed = SeededGenerator.givenSeed ?? 1

    override func setUp() { print("PINVIEW_SEED=\(seed)") }

    /// More threads than processors, so that some are interrupted midway.
    private func onThreads(_ body: @escaping @Sendable (inout Player) throws -> Void) {
        let seed = seed, board = Board(), count = HandleTable.count, living = Thing.living.load(ordering: .relaxed)
        let group = startThreads(4) { number in
            var player = Player(number: number, seed: seed, board: board)
            do { try body(&player) } catch { XCTFail("PINVIEW_SEED=\(seed), thread \(number): \(error)") }
            player.end()
        }
        XCTAssertEqual(group.wait(timeout: .now() + 600), .success, "PINVIEW_SEED=\(seed): the threads did not end")
        board.clear()
        XCTAssertEqual(HandleTable.count, count, "PINVIEW_SEED=\(seed)")
        XCTAssertEqual(Thing.living.load(ordering: .relaxed), living, "PINVIEW_SEED=\(seed)")
    }

    func test_handlesAreMadeRetainedReleasedAndLookedUpOnSeveralThreads() {
        onThreads { player in
            for _ in 0..<20_000 { try player.step() }
        }
    }

    /// The stack of free slots is empty and has slots again by turns, and more slots are made
    /// meanwhile.
    func test_slotsAreTakenAndGivenBackInMasses() {
        onThreads { player in
            for _ in 0..<20 { try player.makeAndReleaseMany(player.random.below(3_000)) }
        }
    }

    /// The same with runs of slots: handles that are made, borrowed and released together.
    func test_manyHandlesAreMadeBorrowedAndReleasedTogether() {
        onThreads { player in
            for _ in 0..<100 { try player.makeAndReleaseTogether(1 + player.random.below(600)) }
        }
    }

    func test_slotsThatAMakerTookAndDidNotUseAreGivenBack() throws {
        func make(_ count: Int, of announced: Int) throws -> Set<UInt> {
            var maker = HandleTable.Maker(.buffer, count: announced), handles: [OpaquePointer?] = []
            for _ in 0..<count { handles.append(try maker.make(Thing())) }
            handles.withUnsafeBufferPointer { HandleTable.release($0, .buffer) }
            return Set(handles.map { UInt(bitPattern: $0) & 0xfff_ffff })
        }
        let before = HandleTable.count
        _ = try make(100, of: 100)
        var slots: Set<UInt> = []
        for _ in 0..<10_000 { slots.formUnion(try make(3, of: 50)) }
        XCTAssertLessThan(slots.count, 2_000)
        XCTAssertEqual(HandleTable.count, before)
    }

    func test_aListWithAnInvalidHandleIsNotBorrowed() throws {
        let things = (0..<3).map { _ in Thing() }
        let handles = try things.map { try HandleTable.make(.buffer, $0) }, invalid = try HandleTable.make(.buffer, Thing())
        XCTAssertTrue(HandleTable.release(invalid, .buffer))
        func borrow(_ list: [OpaquePointer?]) -> [Thing]? {
            list.withUnsafeBufferPointer { list in
                guard let borrowed = HandleTable.BorrowedList(list, .buffer, Thing.self) else { return nil }
                defer { borrowed.end() }
                return borrowed.things.map { $0.takeUnretainedValue() }
            }
        }
        XCTAssertEqual(borrow([handles[0], nil, handles[1], handles[0]])?.map(\.number), [things[0], things[1], things[0]].map(\.number))
        XCTAssertEqual(borrow([])?.count, 0)
        XCTAssertNil(borrow([handles[0], handles[1], invalid, handles[2]]))
        // Each has the reference that it was made with.
        for handle in handles {
            XCTAssertTrue(HandleTable.release(handle, .buffer))
            XCTAssertFalse(HandleTable.isGood(handle, .buffer))
        }
    }

    func test_aReleasedHandleStaysInvalidWhenItsSlotIsUsedAgain() throws {
        var old: Set<OpaquePointer> = []
        for _ in 0..<1_000 {
            let handle = try HandleTable.make(.buffer, Thing())
            XCTAssertTrue(old.insert(handle).inserted)
            XCTAssertTrue(HandleTable.release(handle, .buffer))
        }
        let handle = try HandleTable.make(.buffer, Thing())
        for stale in old {
            XCTAssertNil(HandleTable.object(stale, .buffer))
            XCTAssertFalse(HandleTable.retain(stale, .buffer))
            XCTAssertFalse(HandleTable.release(stale, .buffer))
        }
        XCTAssertTrue(HandleTable.release(handle, .buffer))
    }
}

/// Handles that a thread holds while it runs a body.
final class HeldHandleTests: XCTestCase {
    private func isHeld(_ handle: OpaquePointer, _ thing: Thing) -> Bool {
        HandleTable.held(handle, .context, Thing.self).map { $0.toOpaque() == Unmanaged.passUnretained(thing).toOpaque() } ?? false
    }

    func test_aHandleIsHeldByItsThreadUntilTheBodyEnds() throws {
        let thing = Thing(), handle = try HandleTable.make(.context, thing, known: (0, 0))
        XCTAssertFalse(isHeld(handle, thing))
        HandleTable.holding(handle, .context, thing) {
            XCTAssertTrue(isHeld(handle, thing))
            XCTAssertNil(HandleTable.held(handle, .buffer, Thing.self))
            HandleTable.holding(handle, .context, thing) { XCTAssertTrue(isHeld(handle, thing)) }
            XCTAssertTrue(isHeld(handle, thing))
            let bits = UInt(bitPattern: handle)
            XCTAssertEqual(
                startThreads(1) { _ in
                    XCTAssertNil(OpaquePointer(bitPattern: bits).flatMap { HandleTable.held($0, .context, Thing.self) })
                }.wait(timeout: .now() + 600), .success)
        }
        XCTAssertFalse(isHeld(handle, thing))
        XCTAssertTrue(HandleTable.release(handle, .context))
    }

    func test_aHandleThatIsReleasedIsNotHeldAndItsSlotIsAnothers() throws {
        let thing = Thing(), handle = try HandleTable.make(.context, thing, known: (0, 0))
        var other: OpaquePointer?
        try HandleTable.holding(handle, .context, thing) {
            XCTAssertTrue(HandleTable.release(handle, .context))
            XCTAssertFalse(isHeld(handle, thing))
            // The slot that was given back last is taken first.
            other = try HandleTable.make(.objectID, Thing(), known: (6, 7))
            XCTAssertEqual(UInt(bitPattern: other) & 0xfff_ffff, UInt(bitPattern: handle) & 0xfff_ffff)
            XCTAssertFalse(HandleTable.release(handle, .context))
        }
        let known = try XCTUnwrap(HandleTable.known(other, .objectID))
        XCTAssertEqual([known.0, known.1], [6, 7])
        XCTAssertTrue(HandleTable.release(other, .objectID))
    }
}

/// Where threads find each other's handles.
private final class Board: Sendable {
    private struct Places: ~Copyable, @unchecked Sendable {  // atomic
        let words = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: Board.count)
    }
    private static let count = 32
    private let places = Places()

    init() { for place in 0..<Self.count { (places.words + place).initialize(to: Atomic(0)) } }
    deinit { places.words.deallocate() }

    private static func handle(_ bits: UInt) -> OpaquePointer? { OpaquePointer(bitPattern: bits) }

    func read(_ place: UInt64) -> OpaquePointer? {
        Self.handle(places.words[Int(place % UInt64(Self.count))].load(ordering: .acquiring))
    }

    /// Stores a handle and its reference there, and returns the former ones.
    func exchange(_ place: UInt64, _ handle: OpaquePointer?) -> OpaquePointer? {
        Self.handle(places.words[Int(place % UInt64(Self.count))].exchange(UInt(bitPattern: handle), ordering: .acquiringAndReleasing))
    }

    func clear() {
        for place in 0..<Self.count {
            if let handle = exchange(UInt64(place), nil) { XCTAssertTrue(HandleTable.release(handle, .buffer)) }
        }
    }
}

/// What one thread does.
private struct Player {
    struct Mismatch: Error, CustomStringConvertible { let description: String }

    let number: Int
    var random: SeededGenerator
    private let board: Board
    /// Handles with a reference of the thread's own.
    private var own: [OpaquePointer] = []
    /// Handles without a reference.
    private var stale: [OpaquePointer] = []

    init(number: Int, seed: UInt64, board: Board) {
        self.number = number
        self.board = board
        random = SeededGenerator(seed: seed &+ UInt64(number))
    }

    private func expect(_ holds: Bool, _ what: String) throws { if !holds { throw Mismatch(description: what) } }

    private func make() throws -> OpaquePointer {
        let thing = Thing()
        let handle = try HandleTable.make(.buffer, thing, known: (thing.number << 1, ~thing.number))
        thing.handle = handle
        return handle
    }

    mutating func step() throws {
        switch random.below(8) {
        case 0:
            if let old = board.exchange(random.next(), try make()) { own.append(old) }
        case 1:
            let handle = try make()
            own.append(handle)
            try expect((HandleTable.object(handle, .buffer) as? Thing)?.handle == handle, "a new handle stands for something else")
        case 2, 3:
            // Anybody may release it meanwhile.
            guard let handle = board.read(random.next()), let found = HandleTable.object(handle, .buffer) else { return }
            try expect((found as? Thing)?.handle == handle, "a handle stands for something else")
            if let known = HandleTable.known(handle, .buffer) {
                try expect(known.0 >> 1 == (found as? Thing)?.number && known.1 == ~(known.0 >> 1), "what is known is of something else")
            }
            try expect(HandleTable.held(handle, .buffer, Thing.self) == nil, "a handle is held that nobody holds")
        case 4:
            guard let handle = board.read(random.next()), HandleTable.retain(handle, .buffer) else { return }
            own.append(handle)
        case 5:
            guard let handle = board.read(random.next()), let borrowed = HandleTable.Borrowed(handle, .buffer) else { return }
            defer { borrowed.end() }
            let text = "of \(UInt(bitPattern: handle))"
            let kept = borrowed.withTexts { texts in texts.text(of: 0) ?? texts.keep(text, of: 0) }
            try expect(kept.data.map { String(cString: $0) } == text, "a handle has the text of another")
            try expect(borrowed.thing(Thing.self).takeUnretainedValue().handle == handle, "a borrowed handle stands for something else")
        case 6:
            if own.isEmpty { return }
            let handle = own.swapRemove(at: random.below(own.count))
            try expect((HandleTable.object(handle, .buffer) as? Thing)?.handle == handle, "a handle that is held stands for something else")
            try expect(HandleTable.object(handle, .object) == nil, "a handle passes for one of another kind")
            try expect(HandleTable.release(handle, .buffer), "a handle that is held cannot be released")
        default:
            // One that no other thread has seen.
            let handle = try make()
            try expect(HandleTable.release(handle, .buffer), "a new handle cannot be released")
            if stale.count < 64 { stale.append(handle) } else { stale[random.below(64)] = handle }
            let old = stale[random.below(stale.count)]
            try expect(HandleTable.object(old, .buffer) == nil, "a released handle stands for something")
            try expect(HandleTable.known(old, .buffer) == nil, "something is known of a released handle")
            try expect(!HandleTable.retain(old, .buffer), "a released handle is retained")
            try expect(!HandleTable.release(old, .buffer), "a handle is released twice")
        }
    }

    func makeAndReleaseMany(_ count: Int) throws {
        let handles = try (0..<count).map { _ in try make() }
        try expect(Set(handles).count == count, "two handles are the same")
        for handle in handles {
            try expect((HandleTable.object(handle, .buffer) as? Thing)?.handle == handle, "a handle stands for something else")
        }
        for handle in handles { try expect(HandleTable.release(handle, .buffer), "a handle cannot be released") }
    }

    mutating func makeAndReleaseTogether(_ count: Int) throws {
        var handles: [OpaquePointer?] = []
        do {
            // Sometimes fewer than are announced.
            var maker = HandleTable.Maker(.buffer, count: random.oneIn(4) ? count + random.below(100) : count)
            for _ in 0..<count {
                let thing = Thing(), handle = try maker.make(thing)
                thing.handle = handle
                handles.append(handle)
            }
        }
        try expect(Set(handles).count == count, "two handles are the same")
        // Another thread may use one of them too.
        let shown = handles[random.below(count)]
        if let shown, HandleTable.retain(shown, .buffer), let old = board.exchange(random.next(), shown) { own.append(old) }
        try handles.withUnsafeBufferPointer { list in
            guard let borrowed = HandleTable.BorrowedList(list, .buffer, Thing.self) else {
                throw Mismatch(description: "handles cannot be borrowed")
            }
            defer { borrowed.end() }
            for (thing, handle) in zip(borrowed.things, list) {
                try expect(thing._withUnsafeGuaranteedRef { $0.handle } == handle, "a borrowed handle stands for something else")
            }
        }
        // NULL and handles that are released already are skipped.
        let list = (handles + [nil] + stale.suffix(3)).shuffled(using: &random)
        list.withUnsafeBufferPointer { HandleTable.release($0, .buffer) }
        for handle in handles where handle != shown {
            try expect(HandleTable.object(handle, .buffer) == nil, "a released handle stands for something")
        }
    }

    /// Releases what the thread has.
    mutating func end() {
        for handle in own { XCTAssertTrue(HandleTable.release(handle, .buffer)) }
        own = []
    }
}

extension Array {
    /// Takes out an element; the last one comes in its place.
    fileprivate mutating func swapRemove(at index: Int) -> Element {
        swapAt(index, count - 1)
        return removeLast()
    }
}
