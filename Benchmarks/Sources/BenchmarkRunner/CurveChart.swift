import BenchmarkSupport
import Foundation

/// How the measures of a report grow with what there is: a small picture for each curve, a line for each peer. What there is grows
/// tenfold from mark to mark; the values begin at 0.
struct CurveChart {
    private struct Panel {
        let title: String
        let unit: Unit
        /// By column of the report: the parameter and the value, in the order of the workloads.
        let lines: [[(size: Int, value: Double)]]

        var points: [(size: Int, value: Double)] { lines.flatMap { $0 } }
    }

    private let panels: [Panel]
    private let titles: [String]

    private static let columns = 3
    private static let panelWidth = 300.0, panelHeight = 190.0, top = 32.0
    private static let plotLeft = 64.0, plotRight = 284.0, plotTop = 36.0, plotBottom = 150.0
    /// From the ends of the lines to the first and last points, which keeps these off the labels.
    private static let inset = 14.0

    init(_ report: Report) {
        let group = report.group
        titles = group.columns.map(\.title)
        panels = group.curves.compactMap { curve in
            let results = curve.workloads.compactMap { name in report.results.first { $0.name == name } }
            guard let measure = results.first?.measures.first(where: { $0.name == curve.measure }) else { return nil }
            let lines = group.columns.map { column in
                results.compactMap { result -> (Int, Double)? in
                    guard let size = result.parameter(curve.parameter), let value = result.value(of: measure, peer: column.peer) else {
                        return nil
                    }
                    return (size, value)
                }
            }
            return Panel(title: curve.title, unit: measure.unit, lines: lines)
        }
    }

    var svg: String {
        let rows = (panels.count + Self.columns - 1) / Self.columns
        var elements = Picture.legend(titles, x: 14)
        for (index, panel) in panels.enumerated() {
            let x = Double(index % Self.columns) * Self.panelWidth, y = Self.top + Double(index / Self.columns) * Self.panelHeight
            elements += draw(panel, x, y)
        }
        return Picture.svg(
            title: "How time and memory grow; the scale of sizes is logarithmic", width: Double(Self.columns) * Self.panelWidth,
            height: Self.top + Double(rows) * Self.panelHeight, elements)
    }

    private func draw(_ panel: Panel, _ left: Double, _ top: Double) -> [String] {
        let sizes = panel.points.map { log10(Double($0.size)) }
        guard let least = sizes.min(), let most = sizes.max(), let highest = panel.points.map(\.value).max(), highest > 0 else { return [] }
        let step = Self.step(highest), end = (highest / step).rounded(.up) * step
        func x(_ size: Int) -> Double {
            let share = most > least ? (log10(Double(size)) - least) / (most - least) : 0.5
            return left + Self.plotLeft + Self.inset + share * (Self.plotRight - Self.plotLeft - 2 * Self.inset)
        }
        func y(_ value: Double) -> Double { top + Self.plotBottom - value / end * (Self.plotBottom - Self.plotTop) }

        var elements = [Picture.text(panel.title, left + 14, top + 20)]
        for value in stride(from: 0, through: end, by: step) {
            let y = y(value), kind = value == 0 ? "one" : "step"
            elements.append(Picture.line(left + Self.plotLeft, y, left + Self.plotRight, y, kind: kind))
            elements.append(Picture.scaleLabel(panel.unit.text(value), left + Self.plotLeft - 6, y + 4, anchor: "end"))
        }
        for size in Set(panel.points.map(\.size)).sorted() {
            elements.append(Picture.scaleLabel(Unit.brief(size), x(size), top + Self.plotBottom + 17, anchor: "middle"))
        }
        for (column, points) in panel.lines.enumerated() where !points.isEmpty {
            elements.append(Picture.curve(points.map { (x($0.size), y($0.value)) }, column: column))
            elements += points.map { size, value in
                let title = "\(titles[column]): \(panel.unit.text(value)) at \(Unit.grouped(size))"
                return Picture.dot(x(size), y(value), column: column, title: title)
            }
        }
        return elements
    }

    /// Of 1, 2 and 5 times a power of ten that which makes three to seven steps up to the value.
    private static func step(_ highest: Double) -> Double {
        let power = pow(10, log10(highest / 2.5).rounded(.down))
        return [5, 2, 1].map { $0 * power }.first { highest / $0 >= 2.5 } ?? power
    }
}
