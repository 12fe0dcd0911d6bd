import Dispatch
import Foundation
import Pinview

// A program with an ordinary `main`, whose main thread then runs Dispatch's main queue, a run loop, or the library's main queue.
// usage: MainLoopProcess dispatch|runloop|library STORE. Writes a line for each thing that it has done; the last one is "end".

let model = try ManagedObjectModel(entities: [
    EntityDescription(name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)])
])
let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
try coordinator.addPersistentStore(type: .sqlite, at: CommandLine.arguments[2])
let context = ManagedObjectContext(concurrencyType: .mainQueue)
try context.setPersistentStoreCoordinator(coordinator)
try context.insertNewObject(forEntityName: "Person").setValue("dave", forKey: "name")
try context.save()
let people = FetchRequest(entityName: "Person")

func say(_ text: String) {
    print(text)
    fflush(nil)
}

Thread.detachNewThread {
    do {
        say("performAndWait: \(try context.performAndWait { try context.count(for: people) })")
        do {
            _ = try context.count(for: people)
            say("a direct call elsewhere: allowed")
        } catch let error as PinviewError { say("a direct call elsewhere: \(error.hasCode(.wrongQueue) ? "wrongQueue" : "\(error)")") }
        try context.perform {
            MainActor.assumeIsolated { say("perform") }
            // A direct call of Dispatch's own work, after what the context has been given.
            DispatchQueue.main.async {
                do { say("main queue: \(try context.count(for: people))") } catch { say("main queue: \(error)") }
                say("end")
                exit(0)
            }
        }
    } catch {
        say("\(error)")
        exit(1)
    }
}

switch CommandLine.arguments[1] {
case "dispatch": dispatchMain()
case "runloop": while true { RunLoop.main.run(until: .distantFuture) }
case "library":
    // Dispatch's own work is for the run loop, after the library's.
    try context.perform {}
    try MainQueue.drain()
    while true {
        try MainQueue.drain()
        RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
default: fatalError("unknown way to run the main thread: \(CommandLine.arguments[1])")
}
