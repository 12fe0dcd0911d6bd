import Foundation

/// What the pictures of reports have in common: SVG that is readable on light and on dark paper.
enum Picture {
    private static let colours = ["#2f81f7", "#3fb950", "#db6d28", "#a371f7", "#d4a72c", "#f85149"]

    /// Of a column of the report, the same in all pictures; the reference is grey.
    static func colour(ofColumn column: Int) -> String { column == 0 ? "#8b949e" : colours[(column - 1) % colours.count] }

    private static let style = """
        <style>
        text { font: 12px system-ui, sans-serif; fill: #1f2328; }
        .scale { fill: #59636e; }
        line { stroke: #d1d9e0; }
        .one { stroke: #59636e; stroke-width: 1.5; }
        polyline { fill: none; stroke-width: 2; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .scale { fill: #9198a1; }
          line { stroke: #3d444d; }
          .one { stroke: #9198a1; }
        }
        </style>
        """

    static func svg(title: String, width: Double, height: Double, _ elements: [String]) -> String {
        let size = "viewBox=\"0 0 \(number(width)) \(number(height))\" width=\"\(number(width))\" height=\"\(number(height))\""
        let head = ["<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) role=\"img\">", "<title>\(escaped(title))</title>", style]
        return (head + elements + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// A dot of its colour and the title of each column.
    ///
    /// - Parameter first: the column of the first title.
    static func legend(_ titles: [String], first: Int = 0, x: Double) -> [String] {
        var place = x
        return titles.enumerated().flatMap { index, title in
            defer { place += 26 + 6.6 * Double(title.count) }
            return [dot(place, 14, column: first + index), text(title, place + 9, 18)]
        }
    }

    /// - Parameter title: shown under the pointer.
    static func dot(_ x: Double, _ y: Double, column: Int, title: String? = nil) -> String {
        let circle = "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"4.5\" fill=\"\(colour(ofColumn: column))\""
        return title.map { "\(circle)><title>\(escaped($0))</title></circle>" } ?? circle + "/>"
    }

    static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, kind: String = "step") -> String {
        "<line class=\"\(kind)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\"/>"
    }

    static func curve(_ points: [(x: Double, y: Double)], column: Int) -> String {
        let places = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        return "<polyline stroke=\"\(colour(ofColumn: column))\" points=\"\(places)\"/>"
    }

    static func text(_ text: String, _ x: Double, _ y: Double) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
    }

    /// - Parameter anchor: which part of the label is at the place: `start`, `middle` or `end`.
    static func scaleLabel(_ text: String, _ x: Double, _ y: Double, anchor: String) -> String {
        "<text class=\"scale\" text-anchor=\"\(anchor)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
    }

    /// With a tenth where there is one.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
