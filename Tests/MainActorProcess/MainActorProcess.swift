import Glibc
import Pinview

// A program with an asynchronous `main`: on Linux the main actor leaves the thread that the process began with when it suspends.
// usage: MainActorProcess STORE. Writes a line for each thing that it has done; the last one is "end".

func say(_ text: String) {
    print(text)
    fflush(nil)
}

/// A model of people, and one of them, dave.
func makeContainer(_ path: String) throws -> PersistentContainer {
    let model = try ManagedObjectModel(entities: [
        EntityDescription(name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)])
    ])
    let container = PersistentContainer(name: "People", managedObjectModel: model, storePath: path)
    try container.loadPersistentStores()
    return container
}

/// Only the main actor may call this, which the compiler and the runtime check.
@MainActor func count(_ context: ManagedObjectContext) throws -> Int {
    try context.count(for: FetchRequest(entityName: "Person"))
}

@main
enum MainActorProcess {
    static func main() async throws {
        let container = try makeContainer(CommandLine.arguments[1])
        let viewContext = container.viewContext
        let beganOn = pthread_self()
        try viewContext.insertNewObject(forEntityName: "Person").setValue("dave", forKey: "name")
        try viewContext.save()
        say("before suspending: \(try count(viewContext))")

        // Suspends until another thread has been at work.
        let background = container.newBackgroundContext()
        let objectID = try await background.perform { try background.fetch(FetchRequest(entityName: "Person"))[0].objectID }
        if pthread_equal(pthread_self(), beganOn) != 0 { say("still on the thread that the process began with") }

        say("MainActor.run: \(try await MainActor.run { try viewContext.count(for: FetchRequest(entityName: "Person")) })")
        say("await perform: \(try await viewContext.perform { MainActor.assumeIsolated { (try? count(viewContext)) ?? -1 } })")
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            do {
                try viewContext.perform {
                    MainActor.assumeIsolated { say("perform") }
                    done.resume()
                }
            } catch { done.resume(throwing: error) }
        }
        let onThread = try await Task.detached {
            try viewContext.performAndWait { MainActor.assumeIsolated { (try? count(viewContext)) ?? -1 } }
        }.value
        say("performAndWait elsewhere: \(onThread)")
        do {
            _ = try await Task.detached { try viewContext.count(for: FetchRequest(entityName: "Person")) }.value
            say("a direct call elsewhere: allowed")
        } catch let error as PinviewError { say("a direct call elsewhere: \(error.hasCode(.wrongQueue) ? "wrongQueue" : "\(error)")") }

        // A save of another context is merged and told of on the main actor, and the event of
        // direct calls ends there.
        let person = try await MainActor.run { () -> ManagedObject in
            let person = try viewContext.existingObject(with: objectID)
            _ = try person.attributeValue(forKey: "name")
            return person
        }
        let center = PinviewNotificationCenter.default
        _ = center.addObserver(forName: .didSave, object: background) { save in
            do { try viewContext.mergeChanges(fromContextDidSave: save) } catch { say("\(error)") }
        }
        let changes = AsyncStream<String> { stream in
            _ = center.addObserver(forName: .objectsDidChange, object: viewContext) { change in
                MainActor.assumeIsolated { _ = stream.yield(change.refreshedObjects.isEmpty ? "inserted" : "refreshed") }
            }
        }
        var told = changes.makeAsyncIterator()
        try await background.perform {
            try background.existingObject(with: objectID).setValue("renamed", forKey: "name")
            try background.save()
        }
        say("merged: \(await told.next() ?? "nothing")")
        say("name: \(try await MainActor.run { try person.attributeValue(forKey: "name").stringValue ?? "nil" })")
        try await MainActor.run { _ = try viewContext.insertNewObject(forEntityName: "Person") }
        say("direct call: \(await told.next() ?? "nothing")")
        say("end")
    }
}
