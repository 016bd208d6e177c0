/// What a reader stepped over: the first `capacity` notes word for word, the rest counted.
public struct DamageLog: Sendable {
    public static let capacity = 64

    public struct Note: Hashable, Sendable, CustomStringConvertible {
        public var error: ContainerError
        /// Bytes of the file that gave nothing because of it.
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
