import MediaBase
import MillraceTestKit

/// TCP connections to the WebRTC port that send frames with false lengths, each of which ends after some frames.
final class BrokenStreams: HostilePeer {
    let isReady = true
    let isOver = false
    private let target: SocketAddress?
    private var streams: [StreamSocket] = []
    /// Maximum number of simultaneous connections.
    private static let limit = 16

    init(port: UInt16) { target = SocketAddress("127.0.0.1", port: port) }

    func service(now: MediaTime) {
        for stream in streams { stream.receive { _ in } }
        streams.removeAll { !$0.isOpen }
    }

    func send(using random: inout SeededGenerator, count: inout PacketCounts) {
        if streams.count < Self.limit, let target, let opened = try? StreamSocket(to: target) { streams.append(opened) }
        guard !streams.isEmpty else { return }
        let index = random.below(streams.count)
        let frame = NoiseSource.frame(using: &random)
        streams[index].send(random.below(4) == 0 ? Array(frame.prefix(random.below(frame.count))) : frame)
        count.add(.brokenFrames)
        guard random.below(20) == 0 else { return }
        if random.below(2) == 0 { streams[index].reset() }
        streams.remove(at: index)
    }

    func close(_ relay: RelayControl) async { streams = [] }
}
