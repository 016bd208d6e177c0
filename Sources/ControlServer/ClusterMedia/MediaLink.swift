import Cluster
import ClusterLink
import Conference
import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import SessionMedia
import Signaling

/// WebSocket of a session's home relay to the engine of a relay that has clients of the session. `ClusterMedia` decides what is sent.
final class MediaLink: Sendable {
    /// Session that the link is for.
    struct Subject: Sendable {
        let key: SessionKey
        let session: SessionID
        /// The home relay and its term.
        let home: RelayIdentity
        let term: Int64
    }

    /// Maximum number of requests that wait to be sent.
    static let queueLength = 16_384

    private let requests: AsyncStream<MediaLinkRequest>.Continuation
    private let isClosed: NIOLockedValueBox<Bool>

    /// - Parameters:
    ///   - receive: called for each reply, in their order.
    ///   - lost: called once, when the link is broken. Not called after `close`.
    init(
        _ subject: Subject, to relay: RelayDescription, by caller: LinkCaller,
        receive: @escaping @Sendable (MediaLinkReply) async -> Void,
        lost: @escaping @Sendable (String) async -> Void
    ) {
        let (queue, requests) = AsyncStream.makeStream(
            of: MediaLinkRequest.self, bufferingPolicy: .bufferingOldest(Self.queueLength))
        self.requests = requests
        let isClosed = NIOLockedValueBox(false)
        self.isClosed = isClosed
        Task {
            do {
                let socket = try await Self.connect(subject, relay, caller)
                try await Self.run(socket, queue, receive)
            } catch {
                if isClosed.withLockedValue({ !$0 }) { await lost("\(error)") }
            }
        }
    }

    deinit { close() }

    /// Sends a call after all earlier ones, without waiting. Large calls take time to encode, which is not that of the session.
    /// - Returns: false if the queue is full.
    func send(_ id: MediaCallID, _ call: MediaCall) -> Bool {
        if case .dropped = requests.yield(MediaLinkRequest(id, call)) { return false }
        return true
    }

    /// Ends the link with a close frame after all calls. The other relay closes the session's peers and pipes then; without the frame it would
    /// take this relay for dead.
    func close() {
        isClosed.withLockedValue { $0 = true }
        requests.finish()
    }

    private static func connect(
        _ subject: Subject, _ relay: RelayDescription, _ caller: LinkCaller
    ) async throws -> LinkSocket {
        var fields = HTTPFields()
        fields[HTTPField.Name(ProxiedTarget.field)!] = ProxiedTarget.session(subject.key).text
        fields[HTTPField.Name(RelayIdentity.field)!] = subject.home.fieldText
        fields[HTTPField.Name(MediaLinkTerm.field)!] = MediaLinkTerm(session: subject.session, term: subject.term).text
        var attempts = 1
        while true {
            do {
                return try await caller.connect(path: MediaLinkHandshake.path, fields: fields, to: relay)
            } catch {
                // The relay may have known this one's certificate for less than a heartbeat.
                guard case .connect = error, attempts < ClusterEdge.attempts else { throw error }
                attempts += 1
            }
            try await Task.sleep(for: ClusterEdge.pause)
        }
    }

    /// Runs until the link is broken or closed.
    private static func run(
        _ socket: LinkSocket, _ queue: AsyncStream<MediaLinkRequest>,
        _ receive: @escaping @Sendable (MediaLinkReply) async -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await request in queue {
                    try await socket.send(ByteBuffer(data: try JSONEncoder().encode(request)))
                }
                socket.close(.normalClosure)
            }
            group.addTask {
                for try await input in socket.input {
                    guard case .text(let text) = input else { break }
                    await receive(try JSONDecoder().decode(MediaLinkReply.self, from: Data(buffer: text)))
                }
                throw LinkError.broken("the other relay has ended the link")
            }
            defer { group.cancelAll() }
            try await group.waitForAll()
        }
    }
}
