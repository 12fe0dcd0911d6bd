import RandomSupport
import XCTest

@testable import Pinview

/// The sections of a results controller are an ordinary list, although they are kept on pages.
/// `PINVIEW_SEED` makes the test choose otherwise.
final class ArrangedSectionsTests: XCTestCase {
    private typealias Model = [(name: String, size: Int)]

    private func expect(_ sections: ArrangedSections, _ model: Model, _ seed: UInt64, line: UInt = #line) {
        XCTAssertEqual(sections.count, model.count, "PINVIEW_SEED=\(seed)", line: line)
        XCTAssertEqual(sections.names, model.map { SectionName($0.name) }, "PINVIEW_SEED=\(seed)", line: line)
        var start = 0
        for (number, section) in model.enumerated() {
            XCTAssertEqual(sections.name(number).text, section.name, "PINVIEW_SEED=\(seed)", line: line)
            XCTAssertEqual(sections.range(number), start..<start + section.size, "PINVIEW_SEED=\(seed)", line: line)
            for item in 0..<section.size {
                XCTAssertEqual(
                    sections.path(start + item), PinviewIndexPath(item: item, section: number), "PINVIEW_SEED=\(seed)", line: line)
            }
            start += section.size
        }
    }

    /// Pages of few sections are divided and emptied all the time.
    func test_sectionsAreInsertedRemovedAndResizedAnywhere() {
        var random = SeededGenerator.announced("ArrangedSectionsTests")
        var model: Model = [], sections = ArrangedSections(pageSize: 2)
        for step in 0..<3_000 {
            // Long runs of either, so that there are often none and often many.
            let grows = random.below(10) < (step / 200 % 2 == 0 ? 8 : 2)
            switch random.below(3) {
            case 0 where !model.isEmpty:
                let number = random.below(model.count), size = 1 + random.below(4)
                sections.resize(number, by: size - model[number].size)
                model[number].size = size
            case _ where grows && random.below(4) == 0:
                let name = "\(random.below(5))", size = 1 + random.below(3)
                sections.append(SectionName(name), size)
                if model.last?.name == name { model[model.count - 1].size += size } else { model.append((name, size)) }
            case _ where grows:
                let number = random.below(model.count + 1), name = "\(step)", size = 1 + random.below(3)
                sections.insert(SectionName(name), size, at: number)
                model.insert((name, size), at: number)
            case _ where !model.isEmpty:
                let number = random.below(model.count)
                sections.remove(number)
                model.remove(at: number)
            default: break
            }
            if step % 10 == 0 { expect(sections, model, random.seed) }
        }
        expect(sections, model, random.seed)
    }
}
