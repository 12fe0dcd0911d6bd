import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct PinviewPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [ManagedMacro.self, ManagedPropertyMacro.self, RelationshipMacro.self]
}
