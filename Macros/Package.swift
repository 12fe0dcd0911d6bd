// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// A package of its own, so that neither the library nor whoever does without macros fetches or
// builds swift-syntax.
let package = Package(
    name: "pinview-macros",
    products: [.library(name: "PinviewMacros", targets: ["PinviewMacros"])],
    dependencies: [
        .package(name: "pinview", path: ".."),
        .package(url: "https://github.com/swiftlang/swift-syntax", "601.0.0"..<"700.0.0"),
    ],
    targets: [
        .macro(
            name: "PinviewMacrosPlugin",
            dependencies: [
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
            ]),
        .target(name: "PinviewMacros", dependencies: ["PinviewMacrosPlugin", .product(name: "Pinview", package: "pinview")]),
    ]
)
