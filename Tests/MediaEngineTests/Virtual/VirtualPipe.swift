import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import WebRTCTestKit

/// Two relays on one network and a pipe between them. It carries descriptions and requests from one to the other, as a link would.
final class VirtualPipe {
    let session: String
    /// Relay of the publishers.
    let origin: VirtualCall
    /// Relay of the subscribers.
    let mirror: VirtualCall
    let receiver: PipeEnd
    let sender: PipeEnd
    /// Description that the mirroring relay has.
    private(set) var description = PipeDescription(streams: [])
    /// Tracks that it requests.
    private(set) var tracks: [PipeTrack] = []
    /// Time that a description or a request needs.
    var delay = MediaTime.milliseconds(5)

    /// Opens a pipe. Its session must have a stream.
    init(from origin: VirtualCall, to mirror: VirtualCall, session: String = "room") throws {
        self.session = session
        self.origin = origin
        self.mirror = mirror
        let keys = PipeKeys.random()
        let receiver = try mirror.control { try $0.openPipeReceiver(session: session, keys) }
        self.receiver = receiver
        sender = try origin.control { try $0.openPipeSender(session: session, keys, to: receiver) }
    }

    /// Makes a pipe between two new relays and the publisher of a stream at one of them.
    /// - Parameter changes: change the configurations of the relays.
    static func withPublisher(
        seed: UInt64, path: LinkConditions = LinkConditions(delay: .milliseconds(10)), rids: [RID] = [],
        video: [SyntheticVideo.Encoding]? = [.init(width: 640, height: 360, bitrate: .kilobits(400))],
        changes: (origin: (inout EngineConfiguration) -> Void, mirror: (inout EngineConfiguration) -> Void) = (
            { _ in }, { _ in }
        )
    ) throws -> (VirtualPipe, VirtualClient) {
        let (origin, publisher) = try VirtualCall.withPublisher(seed: seed, rids: rids, video: video, changes.origin)
        let mirror = try VirtualCall(seed: seed &+ 1000, host: 2, besides: origin, changes.mirror)
        let pipe = try VirtualPipe(from: origin, to: mirror)
        pipe.set(path)
        try pipe.update()
        return (pipe, publisher)
    }

    /// Sets the conditions of the path between the relays, in both directions.
    func set(_ path: LinkConditions) {
        for from in origin.plainAddresses {
            for to in mirror.plainAddresses {
                origin.network.set(path, from: from, to: to)
                origin.network.set(path, from: to, to: from)
            }
        }
    }

    /// Runs both relays.
    /// - Returns: the bit rate from the relay of the publishers to the other one in that time.
    func rate(seconds: Double) throws -> Bitrate {
        func sent() -> Int {
            origin.plainAddresses.reduce(0) { sum, from in
                mirror.plainAddresses.reduce(sum) { $0 + origin.network.statistics(from: from, to: $1).sentBytes }
            }
        }
        let before = sent()
        try run(seconds: seconds)
        return Bitrate(saturating: Double(sent() - before) * 8 / seconds)
    }

    /// Carries the description to the mirroring relay, and its requests back.
    func update() throws {
        description = try origin.control { try $0.pipeDescription(session: session) }
        origin.network.run(until: origin.now + delay)
        tracks = try mirror.control { try $0.mirror(description, receiver.id, session: session, from: sender) }
        origin.network.run(until: origin.now + delay)
        try origin.control { try $0.sendThroughPipe(tracks, sender.id, session: session) }
    }

    /// Runs both relays, and carries changes of the streams.
    func run(seconds: Double) throws {
        let end = origin.now + .seconds(seconds)
        while origin.now < end {
            origin.network.run(until: min(end, origin.now + .milliseconds(10)))
            let current = try? origin.control { try $0.pipeDescription(session: session) }
            if let current, current != description { try update() }
        }
    }
}
