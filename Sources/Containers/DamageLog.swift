/// Damage that a reader skipped: the first `capacity` notes, and the total count.
public struct DamageLog: Sendable {
    public static let capacity = 64

    public struct Note: Hashable, Sendable, CustomStringConvertible {
        public var error: ContainerError
        /// Bytes of the file that could not be used because of it.
        public var lostBytes: Int64

        public var description: String {
            lostBytes > 0 ? "\(error); \(lostBytes) bytes lost" : error.description
        }
    }

    public private(set) var notes: [Note] = []
    public private(set) var count = 0
    public private(set) var lostBytes: Int64 = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    mutating func add(_ error: ContainerError, lostBytes: Int64 = 0) {
        count += 1
        self.lostBytes &+= max(0, lostBytes)
        if notes.count < Self.capacity { notes.append(Note(error: error, lostBytes: max(0, lostBytes))) }
    }
}
