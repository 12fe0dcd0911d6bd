import Foundation
import PinviewGenerations
import StressSupport

// A process with a store of its own, which tests start, listen to and kill. usage: StressProcess
// ROLE PATH [SEED [SECONDS]] It writes a line for everything that the test has to know: `commit
// SERIAL ROWS HASH`, `reads NUMBER`, `fault TEXT`, and what its role adds to that.

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    say("fault usage: StressProcess ROLE PATH [SEED [SECONDS]]")
    exit(2)
}
let role = arguments[1], path = arguments[2]
let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 0 : 0
let seconds = arguments.count > 4 ? Double(arguments[4]) ?? 1 : .infinity

do {
    switch role {
    case "stress": try StressRole(path: path, seed: seed, seconds: seconds).run()
    case "pin": try CrashRole(path: path, seed: seed).pin()
    case "descriptors": try DescriptorRole(path: path).run()
    case "detach-often": try CrashRole(path: path, seed: seed).detachOften()
    case "save": try CrashRole(path: path, seed: seed).save()
    case "checkpoint": try CrashRole(path: path, seed: seed).checkpoint()
    case "hold": try HoldRole(path: path).run()
    case "budget": try BudgetRole(path: path, budget: seed == 0 ? 1 << 20 : Int64(seed), seconds: seconds).run()
    case "detach": try CrashRole(path: path, seed: seed).detach(fileLimit: nil)
    case "detach-limited": try CrashRole(path: path, seed: seed).detach(fileLimit: 4 << 20)
    default: say("fault no such role: \(role)")
    }
} catch {
    say("fault \(error)")
    exit(1)
}
