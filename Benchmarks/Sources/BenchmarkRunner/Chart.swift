import BenchmarkSupport
import Foundation

/// The ratios of a report as a picture: a line for each measure, a dot for each peer, to the left of the reference what is faster.
/// Readable on light and on dark paper.
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

    private static let labelWidth = 430.0, plotWidth = 460.0, margin = 24.0, lineHeight = 20.0, top = 56.0
    private static let colours = ["#2f81f7", "#3fb950", "#db6d28", "#a371f7", "#d4a72c", "#f85149"]

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
        return Self.labelWidth + share * Self.plotWidth
    }

    var svg: String {
        let width = Self.labelWidth + Self.plotWidth + Self.margin
        let bottom = Self.top + Double(lines.count) * Self.lineHeight
        var out = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.number(width)) \(Self.number(bottom + 28))\" "
                + "width=\"\(Self.number(width))\" height=\"\(Self.number(bottom + 28))\" role=\"img\">",
            "<title>Time and memory as multiples of \(Self.escaped(reference)); less is better</title>",
            """
            <style>
            text { font: 12px system-ui, sans-serif; fill: #1f2328; }
            .scale { fill: #59636e; }
            line { stroke: #d1d9e0; }
            .one { stroke: #59636e; stroke-width: 1.5; }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3; }
              .scale { fill: #9198a1; }
              line { stroke: #3d444d; }
              .one { stroke: #9198a1; }
            }
            </style>
            """,
        ]
        var legend = Self.labelWidth
        for (index, title) in titles.enumerated() {
            out.append("<circle cx=\"\(Self.number(legend))\" cy=\"14\" r=\"4.5\" fill=\"\(Self.colours[index % Self.colours.count])\"/>")
            out.append("<text x=\"\(Self.number(legend + 9))\" y=\"18\">\(Self.escaped(title))</text>")
            legend += 26 + 6.6 * Double(title.count)
        }
        for step in Self.steps where step >= lowest && step <= highest {
            let place = Self.number(x(step))
            out.append(
                "<line class=\"\(step == 1 ? "one" : "step")\" x1=\"\(place)\" y1=\"\(Self.number(Self.top - 10))\" x2=\"\(place)\" y2=\"\(Self.number(bottom))\"/>"
            )
            for y in [Self.top - 16, bottom + 18] {
                out.append("<text class=\"scale\" text-anchor=\"middle\" x=\"\(place)\" y=\"\(Self.number(y))\">\(Self.label(step))</text>")
            }
        }
        for (index, line) in lines.enumerated() {
            let y = Self.top + (Double(index) + 0.5) * Self.lineHeight
            out.append("<text x=\"4\" y=\"\(Self.number(y + 4))\">\(Self.escaped(line.title))</text>")
            // The first peer on top of the others.
            for (peer, ratio) in line.ratios.enumerated().reversed() {
                guard let ratio, ratio > 0 else { continue }
                out.append(
                    "<circle cx=\"\(Self.number(x(ratio)))\" cy=\"\(Self.number(y))\" r=\"4.5\" fill=\"\(Self.colours[peer % Self.colours.count])\">"
                        + "<title>\(Self.escaped(titles[peer])): \(Unit.rounded(ratio)) × \(Self.escaped(reference))</title></circle>")
            }
        }
        out.append("</svg>")
        return out.joined(separator: "\n") + "\n"
    }

    private static func label(_ step: Double) -> String { (step >= 1 ? String(Int(step)) : String(step)) + "×" }

    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
