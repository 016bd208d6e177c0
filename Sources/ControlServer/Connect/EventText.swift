import Foundation
import NIOCore
import Signaling

/// Encoded event without its sequence number. It is encoded once, and all receivers share the bytes.
struct EventText: Sendable {
    private static let encoder = {
        let encoder = JSONEncoder()
        // With sorted keys, the number is the last member: `{"data":{…},"event":"…","seq":0}`.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    /// Bytes after the shared part in the event with number 0.
    private static let tail = Array("0}".utf8)

    let name: String
    private let head: ByteBuffer

    /// Returns nil if the event cannot be encoded.
    init?(_ event: Event) {
        name = event.name.rawValue
        guard let whole = try? Self.encoder.encode(EventMessage(seq: 0, event)), whole.suffix(2) == Data(Self.tail)
        else { return nil }
        head = ByteBuffer(bytes: whole.dropLast(2))
    }

    /// Size of the shared part.
    var bytes: Int { head.readableBytes }

    /// Returns the message with the number `seq`.
    func message(_ seq: UInt64) -> ByteBuffer {
        var message = ByteBuffer()
        message.reserveCapacity(head.readableBytes + 21)
        message.writeImmutableBuffer(head)
        message.writeString(String(seq))
        message.writeInteger(UInt8(ascii: "}"))
        return message
    }
}
