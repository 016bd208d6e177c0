/// State of a part of a session that is not the home part.
struct PartState {
    /// Home worker of the session.
    let home: Int
    /// Number of the part among those that its worker has had.
    let number: UInt64
    /// Whether the streams of the session are known.
    var isSynchronized = false
    /// Calls that wait until the streams are known.
    private(set) var waiting: [PartCall] = []

    typealias PartCall = @Sendable (Worker, EngineError?) -> Void

    init(home: Int, number: UInt64) {
        self.home = home
        self.number = number
    }

    mutating func wait(_ call: @escaping PartCall) { waiting.append(call) }

    /// Returns the calls that wait, which then wait no longer.
    mutating func takeWaiting() -> [PartCall] {
        defer { waiting = [] }
        return waiting
    }
}
