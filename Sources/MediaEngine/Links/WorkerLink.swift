import MediaBase

/// Connection in one direction between two workers, for the sessions that both have a part of. Packets pass through a ring, messages through
/// the reader's mailbox. Each record of the ring carries the number of messages before it, so that the reader sees both in the order in which
/// they were written: no packet is handled under a state of the session that it was not sent under.
final class WorkerLink: Sendable {
    /// Bytes of packets that may wait for the reader: 0.6 s of 50 Mb/s.
    static let capacity = 4 << 20

    /// Index of the worker that writes.
    let writer: Int
    let ring = RecordRing(capacity: WorkerLink.capacity)
    private let reader: Mailbox

    /// - Parameter reader: mailbox of the worker that reads.
    init(from writer: Int, to reader: Mailbox) {
        self.writer = writer
        self.reader = reader
    }

    /// Sends a message. Messages have their own, higher limit in the mailbox, as calls that stop media have.
    /// - Returns: false if the reader accepts no more; then `work` does not run.
    func send(_ work: @escaping Mailbox.Work) -> Bool {
        do {
            try reader.post(isUrgent: true, work)
            return true
        } catch {
            return false
        }
    }

    /// Takes the oldest records that precede a message. Call from the reading worker only.
    /// - Parameter body: handles a record and the bytes after its header.
    func read(
        atMost limit: Int, before message: UInt64, _ body: (LinkRecord, UnsafeRawBufferPointer) -> Void
    ) {
        var count = 0
        while count < limit {
            let isRead: Void? = ring.next(LinkRecord.self, where: { $0.messages < message }, body)
            guard isRead != nil else { return }
            count += 1
        }
    }

    /// Wakes the reader if it sleeps. Call once after a run of records.
    func wake() { reader.wakeIfWaiting() }
}
