import Forwarding
import MediaBase
import Testing

@testable import MediaEngine

@Suite("Links between workers")
struct LinkWriterTests {
    private let payload = [UInt8](repeating: 7, count: 1_100)

    private func append(_ writer: inout LinkWriter, track: UInt64, isVideo: Bool, isKey: Bool = false) -> Bool {
        payload.withUnsafeBytes { bytes in
            writer.append(
                LinkRecord(kind: .packet, track: track, arrival: 0), bytes,
                UnsafeRawBufferPointer(start: nil, count: 0), isVideo: isVideo, startsVideo: isKey)
        }
    }

    private func read(_ link: WorkerLink, before message: UInt64 = .max) -> UInt64? {
        link.ring.next(LinkRecord.self, where: { $0.messages < message }) { record, _ in record.track }
    }

    @Test("While the ring is full, packets are dropped; video continues with a key frame, audio with the next packet")
    func full() {
        let link = WorkerLink(from: 0, to: Mailbox(limit: 8))
        var writer = LinkWriter(link)
        var count = 0
        while append(&writer, track: 1, isVideo: true) { count += 1 }
        #expect(count > 3_000)
        #expect(!append(&writer, track: 2, isVideo: false) && !append(&writer, track: 1, isVideo: true, isKey: true))
        while read(link) != nil {}
        #expect(!append(&writer, track: 1, isVideo: true))
        #expect(append(&writer, track: 2, isVideo: false) && append(&writer, track: 3, isVideo: true))
        #expect(append(&writer, track: 1, isVideo: true, isKey: true) && append(&writer, track: 1, isVideo: true))
        #expect([read(link), read(link), read(link), read(link), read(link)] == [2, 3, 1, 1, nil])
    }

    @Test("A reader sees records and messages in the order in which they were written")
    func order() {
        let mailbox = Mailbox(limit: 8)
        let link = WorkerLink(from: 0, to: mailbox)
        var writer = LinkWriter(link)
        #expect(append(&writer, track: 1, isVideo: true))
        #expect(writer.send { _, _ in } && writer.messages == 1)
        #expect(append(&writer, track: 2, isVideo: true))
        #expect(writer.send { _, _ in } && writer.messages == 2)
        #expect(append(&writer, track: 3, isVideo: true))
        #expect(mailbox.takeAll().count == 2)
        #expect(read(link, before: 1) == 1 && read(link, before: 1) == nil)
        #expect(read(link, before: 2) == 2 && read(link, before: 2) == nil)
        #expect(read(link, before: 3) == 3 && read(link, before: 3) == nil)
    }

    @Test("A message that the reader does not accept has no number") func refused() {
        let mailbox = Mailbox(limit: 8)
        mailbox.close { _ in }
        var writer = LinkWriter(WorkerLink(from: 0, to: mailbox))
        #expect(!writer.send { _, _ in } && writer.messages == 0)
    }

    @Test("The id of a transport names its worker; ids that no worker made name none")
    func identifiers() {
        for worker in [0, 9, 15, 16, 63, 255] {
            #expect(TransportID(worker: worker, random: "0123456789abcd").worker == worker)
        }
        for text in ["", "1", "0g", "A0ff", "é0"] { #expect(TransportID(rawValue: text).worker == nil, "\(text)") }
    }

    @Test("A reader takes a limited number of records, and none that a later message precedes") func limits() {
        let link = WorkerLink(from: 0, to: Mailbox(limit: 8))
        var writer = LinkWriter(link)
        var tracks: [UInt64] = []
        for track in 1...3 as ClosedRange<UInt64> { _ = append(&writer, track: track, isVideo: false) }
        let isSent = writer.send { _, _ in }
        _ = append(&writer, track: 4, isVideo: false)
        link.read(atMost: 2, before: 1) { record, _ in tracks.append(record.track) }
        #expect(isSent && tracks == [1, 2])
        link.read(atMost: .max, before: 1) { record, _ in tracks.append(record.track) }
        #expect(tracks == [1, 2, 3])
        link.read(atMost: .max, before: 2) { record, _ in tracks.append(record.track) }
        #expect(tracks == [1, 2, 3, 4] && link.ring.isEmpty)
    }
}
