package import MediaBase
package import SRTP

/// What a `MediaEngine` is built from. Every limit has a name, a default and a metric that counts what it refused.
package struct EngineConfiguration: Sendable {
    /// Worker threads; a session lives on one of them.
    package var workers = 1
    /// Numeric address that the media sockets bind to.
    package var bindAddress = "0.0.0.0"
    /// Numeric address that answers name for clients to send to.
    package var advertisedAddress = "127.0.0.1"
    /// RTP port of plain transports: worker i has `plainPort + 2i`, and RTCP on the odd port after it. 0: any free even port.
    package var plainPort: UInt16 = 7982
    /// Longest time that a packet waits for others to share a send with (0...5 ms). 0 sends every packet as it comes.
    package var gather: MediaTime = .milliseconds(1)
    package var protection: FanoutProtector.Backend = .automatic
    /// UDP segmentation (GSO) and coalescing (GRO) by the kernel: used where it has them, or never.
    package var offload: Offload = .automatic
    package var webRTC = WebRTCConfiguration()
    package var limits = EngineLimits()
    #if DEBUG
        /// What the engine does wrong on purpose.
        package var fault: Fault?
    #endif

    package enum Offload: String, Sendable, CaseIterable {
        case automatic
        case off
    }

    package init() {}
}

/// Upper bounds of what peers can make the engine hold.
package struct EngineLimits: Sendable {
    package var sessions = 10_000
    package var streamsPerSession = 2_000
    package var transportsPerSession = 10_000
    package var tapsPerStream = 16
    package var ssrcsPerTransport = 64
    /// SSRCs that a publish peer connection may have had, with those of tracks that have ended.
    package var ssrcsPerConnection = 512
    /// Sections that a subscribe peer connection carries at a time: 200 streams with sound and picture.
    package var tracksPerSubscriber = 400
    /// Kept packets of one video producer, for retransmission and for the pictures since the last key frame.
    package var retransmissionBytes = 4 << 20
    package var retransmissionAge: MediaTime = .seconds(2)
    /// Share of sent bytes that retransmissions may take, in percent.
    package var retransmissionPercent = 50
    /// A publishing transport that sends nothing authentic for this long is closed. 0: never.
    package var publisherTimeout: MediaTime = .seconds(60)
    /// Headers of a video track's newest packets that are kept for reports, 16 bytes each; of sound half as many. 0: none.
    package var headersPerTrack = 4096
    package var receiveBufferBytes = 8 << 20
    package var sendBufferBytes = 8 << 20
    /// Control calls waiting for one worker.
    package var mailbox = 16_384

    package init() {}
}
