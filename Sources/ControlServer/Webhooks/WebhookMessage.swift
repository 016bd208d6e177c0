import Cryptography
import Foundation
import Signaling

/// Encoded event: its body, and header fields that authenticate its sender.
package struct WebhookMessage: Sendable {
    /// `t=<seconds since 1970>,v1=<hex of HMAC-SHA256 over "<t>.<body>">`.
    package static let signatureField = "Millrace-Signature"
    package static let idField = "Millrace-Event"

    package let id: String
    package let body: [UInt8]

    private struct Body: Encodable {
        struct Session: Encodable {
            let app: String
            let name: String
            let id: SessionID?
        }
        let id: String
        let number: UInt64
        let event: String
        /// Milliseconds since 1970.
        let time: Int64
        let session: Session
        let participant: UserInfo?
        let stream: StreamInfo?
        let recording: WebhookEvent.Recording?
        let live: WebhookEvent.Push?
        let reason: String?
    }

    /// - Parameter run: id of this run of the relay. The id of an event is the same in each of its tries.
    package init(_ delivery: WebhookQueue.Delivery, run: String) {
        let event = delivery.event
        let name = "\(run)/\(delivery.number)"
        let id = HashFunction.sha256.digest(of: name.utf8).prefix(16).map(Self.hex).joined()
        self.id = id
        let document = Body(
            id: id, number: delivery.number, event: event.kind.rawValue, time: event.time,
            session: .init(app: event.session.app, name: event.session.name, id: event.sessionID),
            participant: event.participant, stream: event.stream, recording: event.recording, live: event.live,
            reason: event.reason)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and lists of them always encode.
        body = (try? encoder.encode(document)).map { Array($0) } ?? []
    }

    /// - Parameter time: time of this try, in seconds since 1970.
    package func signature(secret: String, time: Int64) -> String {
        let code = HMAC.code(of: Array("\(time).".utf8) + body, key: Array(secret.utf8), .sha256)
        return "t=\(time),v1=" + code.map(Self.hex).joined()
    }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
