/// A worker's end of a link that it reads from.
struct LinkReader {
    let link: WorkerLink
    /// Number of the newest message that was handled.
    private(set) var messages: UInt64 = 0
    /// Indices of the mirrored tracks in the worker's table, by their numbers at the origin.
    private var mirrors: [UInt64: Int] = [:]

    init(_ link: WorkerLink) { self.link = link }

    /// Begins to handle a message. Records that were written after it may be handled from now on.
    mutating func begin(_ message: UInt64) { messages = message }

    /// Returns the index of the mirror of a track; nil if it has ended here.
    func mirror(of track: UInt64) -> Int? { mirrors[track] }

    mutating func addMirror(_ index: Int, of track: UInt64) { mirrors[track] = index }

    mutating func removeMirror(of track: UInt64) { mirrors[track] = nil }
}
