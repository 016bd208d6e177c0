package import MediaBase
package import SRTP

/// Configuration of a `MediaEngine`. Every limit has a name, a default and a metric that counts refusals.
package struct EngineConfiguration: Sendable {
    /// Worker threads. A session begins on one of them.
    package var workers = 1
    /// CPU use of a session's worker, in thousandths of one core, from which on its new subscribers go to other workers with less load. 0:
    /// always.
    package var spreadLoad = 600
    /// Numeric address that the media sockets bind to.
    package var bindAddress = "0.0.0.0"
    /// Numeric address that answers give to clients as the relay's address.
    package var advertisedAddress = "127.0.0.1"
    /// RTP port of plain transports: worker i has `plainPort + 2i`, and RTCP on the odd port after it. 0: any free even port.
    package var plainPort: UInt16 = 7982
    /// Longest time that a packet waits so that others can share its send call, on a worker with little load (0...5 ms). 0: every packet is sent at
    /// once, with any load.
    package var gather: MediaTime = .milliseconds(1)
    /// Longest time that a video packet waits for the other packets of its frame on a loaded worker (0...20 ms). At most `gather`: as with
    /// little load.
    package var videoLatencyBudget: MediaTime = .milliseconds(5)
    /// Longest time that an audio packet waits for other publishers' packets on a loaded worker (0...20 ms).
    package var audioLatencyBudget: MediaTime = .milliseconds(2)
    package var protection: FanoutProtector.Backend = .automatic
    /// UDP segmentation (GSO) and coalescing (GRO) by the kernel: used if the kernel supports them, or never.
    package var offload: Offload = .automatic
    /// Complete frames for short runs of packets, past the kernel's IP layer, if the process may send them; or never.
    package var rawEgress: Offload = .off
    /// Whether pipes carry only the encodings that the receiving relay needs. False: all, as with relays of earlier versions.
    package var encodingsOnDemand = true
    /// Whether the capacity of the paths of pipes is measured, and encodings are withheld that they cannot carry. False: as with relays of
    /// earlier versions.
    package var measuresPipes = true
    /// Video codecs that are forwarded, in the order in which the relay's own offers list them. Not empty.
    package var videoCodecs = VideoCodec.allCases
    package var webRTC = WebRTCConfiguration()
    package var limits = EngineLimits()
    #if DEBUG
        /// Fault that the engine injects; nil: none.
        package var fault: Fault?
    #endif

    package enum Offload: String, Sendable, CaseIterable {
        case automatic
        case off
    }

    package init() {}

    /// Checks that media sockets can bind to the address.
    func checkBindAddress() throws(EngineError) {
        guard SocketAddress(bindAddress, port: 0) != nil else {
            throw .addressUnusable(address: bindAddress, reason: "not a numeric IPv4 or IPv6 address")
        }
    }
}

/// Upper bounds of the resources that peers can make the engine hold.
package struct EngineLimits: Sendable {
    package var sessions = 10_000
    package var streamsPerSession = 2_000
    package var transportsPerSession = 10_000
    package var tapsPerStream = 16
    package var ssrcsPerTransport = 64
    /// SSRCs that one publish peer connection may use over its life, including those of tracks that have ended.
    package var ssrcsPerConnection = 512
    /// Media sections of one subscribe peer connection at a time: enough for 200 streams with audio and video.
    package var tracksPerSubscriber = 400
    /// Largest size in bytes of one video producer's packet cache, which serves retransmissions and the frames since the last key frame. The
    /// cache of a publisher that sends key frames on request begins with 256 KiB and grows to hold 20 s.
    package var retransmissionBytes = 4 << 20
    /// Upper limit of the bytes sent as retransmissions, in percent of all bytes sent.
    package var retransmissionPercent = 50
    /// Time without an authentic packet after which a publishing transport is closed. 0: never.
    package var publisherTimeout: MediaTime = .seconds(60)
    /// Number of packet headers kept for reports, per video track, 16 bytes each; half as many per audio track. 0: none.
    package var headersPerTrack = 4096
    /// Points of the quality timeline of each connected peer, one a second, 24 bytes each. 0: none.
    package var qualityPoints = 600
    package var receiveBufferBytes = 8 << 20
    package var sendBufferBytes = 8 << 20
    /// Control calls that may wait in one worker's mailbox.
    package var mailbox = 16_384

    package init() {}
}
