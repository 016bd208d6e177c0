import Foundation
import NIOCore
import Signaling

/// An event as it goes out, but for its number: encoded once, whoever gets it. All share the bytes.
struct EventText: Sendable {
    private static let encoder = {
        let encoder = JSONEncoder()
        // The number is the last member in this order: `{"data":{…},"event":"…","seq":0}`.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    /// What stands behind the shared part with number 0.
    private static let tail = Array("0}".utf8)

    let name: String
    private let head: ByteBuffer

    /// Nil where the event cannot be written.
    init?(_ event: Event) {
        name = event.name.rawValue
        guard let whole = try? Self.encoder.encode(EventMessage(seq: 0, event)), whole.suffix(2) == Data(Self.tail)
        else { return nil }
        head = ByteBuffer(bytes: whole.dropLast(2))
    }

    /// Of the shared part.
    var bytes: Int { head.readableBytes }

    /// The message with the number `seq`.
    func message(_ seq: UInt64) -> ByteBuffer {
        var message = ByteBuffer()
        message.reserveCapacity(head.readableBytes + 21)
        message.writeImmutableBuffer(head)
        message.writeString(String(seq))
        message.writeInteger(UInt8(ascii: "}"))
        return message
    }
}
