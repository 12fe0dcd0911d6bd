import BenchmarkSupport
import Foundation

/// The ratios of a report as a picture: a line for each measure, a dot for each peer, to the left of the reference what is faster.
struct Chart {
    private struct Line {
        let title: String
        /// By column of the report; nil where a peer does not do this.
        let ratios: [Double?]
    }

    private let lines: [Line]
    private let titles: [String]
    private let reference: String
    private let lowest: Double, highest: Double

    /// Room for the longest title in any sans-serif font, and for a dot at the left end of the scale.
    private var labelWidth: Double { 6.8 * Double(lines.map(\.title.count).max() ?? 0) + 16 }

    private static let plotWidth = 460.0, margin = 24.0, lineHeight = 20.0, top = 56.0

    init(_ report: Report) {
        let group = report.group
        let peers = group.columns.dropFirst().map(\.peer)
        titles = group.columns.dropFirst().map(\.title)
        reference = group.columns[0].title
        var lines: [Line] = []
        for result in report.results {
            for measure in result.measures where measure.unit == .nanoseconds || measure.unit == .bytes {
                let ratios = peers.map { result.ratio(of: measure, peer: $0, to: group.columns[0].peer) }
                guard ratios.contains(where: { $0 != nil }) else { continue }
                let title = result.title(of: measure)
                lines.append(Line(title: String(title.split(separator: ";").first ?? ""), ratios: ratios))
            }
        }
        self.lines = lines
        let all = lines.flatMap(\.ratios).compactMap { $0 }.filter { $0 > 0 }
        // Whole steps of the scale, with the reference inside.
        lowest = Self.steps.last { $0 <= min(all.min() ?? 1, 0.5) } ?? Self.steps[0]
        highest = Self.steps.first { $0 >= max(all.max() ?? 1, 2) } ?? Self.steps[Self.steps.count - 1]
    }

    private static let steps = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]

    /// Where a ratio lies; the scale is logarithmic.
    private func x(_ ratio: Double) -> Double {
        let share = log(min(max(ratio, lowest), highest) / lowest) / log(highest / lowest)
        return labelWidth + share * Self.plotWidth
    }

    var svg: String {
        let bottom = Self.top + Double(lines.count) * Self.lineHeight
        var elements = Picture.legend(titles, first: 1, x: labelWidth)
        for step in Self.steps where step >= lowest && step <= highest {
            elements.append(Picture.line(x(step), Self.top - 10, x(step), bottom, kind: step == 1 ? "one" : "step"))
            elements += [Self.top - 16, bottom + 18].map { Picture.scaleLabel(Self.label(step), x(step), $0, anchor: "middle") }
        }
        for (index, line) in lines.enumerated() {
            let y = Self.top + (Double(index) + 0.5) * Self.lineHeight
            elements.append(Picture.text(line.title, 4, y + 4))
            // The first peer on top of the others.
            for (peer, ratio) in line.ratios.enumerated().reversed() {
                guard let ratio, ratio > 0 else { continue }
                elements.append(
                    Picture.dot(x(ratio), y, column: peer + 1, title: "\(titles[peer]): \(Unit.rounded(ratio)) × \(reference)"))
            }
        }
        return Picture.svg(
            title: "Time and memory as multiples of \(reference); less is better", width: labelWidth + Self.plotWidth + Self.margin,
            height: bottom + 28, elements)
    }

    private static func label(_ step: Double) -> String { (step >= 1 ? String(Int(step)) : String(step)) + "×" }
}
