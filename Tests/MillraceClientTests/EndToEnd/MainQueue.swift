import Dispatch

/// Reports whether code runs on the main actor, whose executor is the main queue here.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    static var isCurrent: Bool {
        mark
        return DispatchQueue.getSpecific(key: key) == true
    }
}
