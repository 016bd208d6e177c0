/// A worker's end of a link that it reads from.
struct LinkReader {
    let link: WorkerLink
    /// Number of the newest message that was handled.
    var messages: UInt64 = 0
    /// Indices of the mirrored tracks in the worker's table, by their numbers at the origin.
    var tracks: [UInt64: Int] = [:]

    init(_ link: WorkerLink) { self.link = link }
}
