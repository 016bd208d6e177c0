import Forwarding
import MediaBase

/// A worker's end of a link that it writes to.
struct LinkWriter {
    let link: WorkerLink
    /// Number of messages sent.
    private(set) var messages: UInt64 = 0
    /// Video tracks of which the ring was full for a packet. Their packets are dropped until the next key frame.
    private var interrupted: Set<UInt64> = []
    /// Maximum number of such tracks that are remembered, those that have ended included.
    private static let maximumInterrupted = 4_096

    init(_ link: WorkerLink) { self.link = link }

    /// Sends a message, which the reader handles after all records before it and before all records after it.
    /// - Parameter work: receives the number of the message.
    /// - Returns: false if the reader accepts no more.
    mutating func send(_ work: @escaping @Sendable (Worker, UInt64) -> Void) -> Bool {
        let number = messages + 1
        guard link.send({ work($0, number) }) else { return false }
        messages = number
        return true
    }

    /// Copies a packet into the ring.
    /// - Parameter startsVideo: a decoder can start with the packet.
    /// - Returns: false if the packet was dropped.
    mutating func append(
        _ record: LinkRecord, _ payload: UnsafeRawBufferPointer, _ descriptor: UnsafeRawBufferPointer,
        isVideo: Bool, startsVideo: Bool
    ) -> Bool {
        if !interrupted.isEmpty, interrupted.contains(record.track), !startsVideo { return false }
        var record = record
        record.messages = messages
        guard link.ring.append(record, payload, descriptor) else {
            guard isVideo else { return false }
            if interrupted.count >= Self.maximumInterrupted { interrupted = [] }
            interrupted.insert(record.track)
            return false
        }
        if startsVideo, !interrupted.isEmpty { interrupted.remove(record.track) }
        return true
    }

    /// Appends a record without a payload. The reader can do without it if the ring is full.
    mutating func append(_ record: LinkRecord) {
        var record = record
        record.messages = messages
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        _ = link.ring.append(record, none, none)
    }
}
