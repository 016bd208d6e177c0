package import Forwarding
import MediaBase
import SRTP
import Transport

/// Counters of the workers since their start. All but the gauges at the end only grow.
package struct EngineCounters: Sendable {
    package var datagramsReceived: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    /// Authentic RTP packets that were accepted.
    package var packetsReceived: UInt64 = 0
    package var packetsForwarded: UInt64 = 0
    package var bytesForwarded: UInt64 = 0
    package var packetsRetransmitted: UInt64 = 0
    package var sendCalls: UInt64 = 0
    package var sendMessages: UInt64 = 0
    /// Packets sent as complete frames (`RawSender`).
    package var rawPackets: UInt64 = 0
    /// Messages that are short enough for frames, but had no route that frames can take.
    package var rawFallbacks: UInt64 = 0
    /// Messages that sockets sent because the ring or the interface was full or refused the frame.
    package var rawRefusals: UInt64 = 0
    package var rtcpReceived: UInt64 = 0
    package var rtcpSent: UInt64 = 0
    package var keyFrameRequestsReceived: UInt64 = 0
    package var keyFrameRequestsSent: UInt64 = 0
    /// Key frame requests that repeat one which a publisher has ignored (`KeyFrameRequestThrottle.isIgnored`).
    package var keyFrameRequestsIgnored: UInt64 = 0
    /// Key frame requests of subscribers that exceeded their budgets.
    package var keyFrameRequestsLimited: UInt64 = 0
    package var nacksReceived: UInt64 = 0
    package var nacksSent: UInt64 = 0
    package var packetsMuted: UInt64 = 0
    /// Packets of audio tracks that were not among the loudest.
    package var packetsWithheld: UInt64 = 0
    /// Packets received on separate retransmission streams (RFC 4588): retransmissions and padding probes.
    package var rtxReceived: UInt64 = 0
    /// Padding bytes sent to measure the capacity of subscribers' paths.
    package var probeBytes: UInt64 = 0
    /// Switches of subscribers' video tracks to another encoding.
    package var layerSwitches: UInt64 = 0
    /// Video tracks paused because the path has too little bandwidth.
    package var tracksPaused: UInt64 = 0
    /// Encodings that pipes began to withhold, because the path to the other relay has too little bandwidth.
    package var pipeEncodingsWithheld: UInt64 = 0

    // WebRTC peers: how many connected, and the causes for which they ended.
    package var peersConnected: UInt64 = 0
    package var peersDisplaced: UInt64 = 0
    package var peersTimedOut: UInt64 = 0
    package var peersLostConsent: UInt64 = 0
    package var peersClosed: UInt64 = 0
    package var peersFailed: UInt64 = 0

    // WebRTC peers without media 10 s after they were admitted or, for publishers, after they connected; by cause.
    package var pathsWithoutPackets: UInt64 = 0
    package var pathsWithoutHandshake: UInt64 = 0
    package var pathsWithoutMedia: UInt64 = 0

    // Datagrams dropped on arrival, by cause.
    package var droppedMalformed: UInt64 = 0
    package var droppedOversized: UInt64 = 0
    package var droppedUnknownSSRC: UInt64 = 0
    package var droppedAuthentication: UInt64 = 0
    package var droppedReplay: UInt64 = 0
    package var droppedPayloadType: UInt64 = 0
    package var droppedTooOld: UInt64 = 0
    package var droppedDuplicate: UInt64 = 0
    package var droppedUnknownKind: UInt64 = 0
    /// Datagrams on the WebRTC port that belong to no known peer.
    package var droppedUnknownPeer: UInt64 = 0
    package var droppedUnauthenticRTCP: UInt64 = 0
    package var droppedUnknownRTCP: UInt64 = 0
    package var droppedMalformedRTCP: UInt64 = 0
    package var droppedTap: UInt64 = 0
    /// Packets that another worker did not get because its ring was full.
    package var droppedLink: UInt64 = 0

    /// Messages that could not be sent.
    package var sendErrors: UInt64 = 0
    /// Datagrams that could not be sent.
    package var sendDrops = SendDropCounts()
    package var retransmissionsLimited: UInt64 = 0
    package var refusedLimit: UInt64 = 0
    /// Pauses of accepting TCP connections because the process was short of file descriptors or memory.
    package var tcpAcceptPauses: UInt64 = 0
    /// CPU time of the worker threads, nanoseconds.
    package var workerCPU: UInt64 = 0

    package var sessions: UInt64 = 0
    package var streams: UInt64 = 0
    package var transports: UInt64 = 0
    package var taps: UInt64 = 0
    /// Sending ends of pipes whose paths have shown a limit recently, and the sum of their estimates in bits per second.
    package var pipesLimited: UInt64 = 0
    package var pipeEstimate: UInt64 = 0
    /// Encodings that pipes withhold now.
    package var withheldEncodings: UInt64 = 0

    // The fields from here on are no plain numbers: crash reports read only the counters before them.
    package var delay = DelayHistogram()
    /// Part of `delay` before the relay began to send: the time for which packets were gathered.
    package var waiting = DelayHistogram()
    /// Time from the request for another encoding to the key frame that the encoding began with.
    package var switchDelay = DelayHistogram()
    /// Time from the subscription to a video that arrives until its first frame is forwarded.
    package var firstFrameDelay = DelayHistogram()

    package init() {}

    /// Causes of dropped datagrams, for one metric with a label.
    package var dropped: [(cause: String, count: UInt64)] {
        [
            ("malformed", droppedMalformed), ("oversized", droppedOversized), ("unknown_ssrc", droppedUnknownSSRC),
            ("authentication", droppedAuthentication), ("replay", droppedReplay),
            ("payload_type", droppedPayloadType), ("too_old", droppedTooOld), ("duplicate", droppedDuplicate),
            ("unknown_kind", droppedUnknownKind), ("unknown_peer", droppedUnknownPeer),
            ("rtcp_authentication", droppedUnauthenticRTCP),
            ("rtcp_unknown", droppedUnknownRTCP), ("rtcp_malformed", droppedMalformedRTCP),
        ]
    }

    /// Peers without media by cause, for one metric with a label.
    package var pathFailures: [(cause: String, count: UInt64)] {
        [
            ("no_packets", pathsWithoutPackets), ("no_handshake", pathsWithoutHandshake),
            ("no_media", pathsWithoutMedia),
        ]
    }

    /// Unsent datagrams by cause, for one metric with a label.
    package var sendDropped: [(cause: String, count: UInt64)] {
        SendDropCause.allCases.map { ($0.label, sendDrops[$0]) }
    }

    /// Counters apart from `dropped`, `pathFailures` and `sendDropped`: metric name without prefix, help text, value.
    package var all: [(name: String, help: String, value: UInt64)] {
        [
            ("datagrams_received_total", "UDP datagrams received", datagramsReceived),
            ("received_bytes_total", "UDP payload bytes received", bytesReceived),
            ("packets_received_total", "Authentic RTP packets taken from publishers", packetsReceived),
            ("packets_forwarded_total", "RTP packets sent to subscribers", packetsForwarded),
            ("forwarded_bytes_total", "UDP payload bytes sent to subscribers", bytesForwarded),
            ("packets_retransmitted_total", "RTP packets retransmitted on request", packetsRetransmitted),
            (
                "retransmissions_limited_total", "Retransmissions dropped to limit their share of the bit rate",
                retransmissionsLimited
            ),
            ("packets_muted_total", "RTP packets of muted tracks dropped at the relay", packetsMuted),
            ("packets_withheld_total", "RTP packets of audio tracks that are not among the loudest", packetsWithheld),
            ("send_calls_total", "System calls that send datagrams", sendCalls),
            ("send_messages_total", "Messages sent, each with one or more packets", sendMessages),
            ("raw_packets_total", "RTP packets sent as complete frames", rawPackets),
            ("raw_fallbacks_total", "Messages sent by sockets for lack of a route for frames", rawFallbacks),
            ("raw_refusals_total", "Messages sent by sockets because frames were refused", rawRefusals),
            ("send_errors_total", "Messages that could not be sent", sendErrors),
            ("rtcp_received_total", "Authentic RTCP compounds received", rtcpReceived),
            ("rtcp_sent_total", "RTCP compounds sent", rtcpSent),
            ("key_frame_requests_received_total", "PLI and FIR received", keyFrameRequestsReceived),
            ("key_frame_requests_sent_total", "PLI sent to publishers", keyFrameRequestsSent),
            (
                "key_frame_requests_ignored_total", "PLI that repeat one which a publisher did not answer within 2 s",
                keyFrameRequestsIgnored
            ),
            (
                "key_frame_requests_limited_total", "PLI and FIR that exceed a subscriber's budget of key frames",
                keyFrameRequestsLimited
            ),
            ("nacks_received_total", "Packets that subscribers requested with NACK", nacksReceived),
            ("nacks_sent_total", "Packets requested from publishers with NACK", nacksSent),
            ("rtx_received_total", "Packets received on retransmission streams", rtxReceived),
            ("probe_bytes_total", "Padding bytes sent to measure subscribers' paths", probeBytes),
            (
                "layer_switches_total", "Switches of subscribers' video tracks to another encoding or spatial layer",
                layerSwitches
            ),
            ("tracks_paused_total", "Pauses of subscribers' video tracks for lack of bandwidth", tracksPaused),
            (
                "pipe_encodings_withheld_total",
                "Encodings that pipes to other relays began to withhold for lack of bandwidth", pipeEncodingsWithheld
            ),
            ("peers_connected_total", "WebRTC peers that connected", peersConnected),
            ("peers_displaced_total", "Unconnected WebRTC peers closed to admit newer ones", peersDisplaced),
            ("peers_timed_out_total", "WebRTC peers that did not connect in time", peersTimedOut),
            ("peers_lost_consent_total", "WebRTC peers whose consent expired (RFC 7675)", peersLostConsent),
            ("peers_closed_total", "WebRTC peers that closed the connection", peersClosed),
            ("peers_failed_total", "WebRTC peers whose handshake failed", peersFailed),
            ("tap_packets_dropped_total", "Packets dropped because a tap was full", droppedTap),
            (
                "link_packets_dropped_total", "Packets that another worker did not get because its ring was full",
                droppedLink
            ),
            ("limit_refusals_total", "Requests refused because a limit was reached", refusedLimit),
            (
                "tcp_accept_pauses_total", "Pauses of accepting ICE connections because file descriptors ran short",
                tcpAcceptPauses
            ),
        ]
    }

    package var gauges: [(name: String, help: String, value: UInt64)] {
        [
            ("sessions", "Sessions with a transport", sessions), ("streams", "Published streams", streams),
            ("transports", "Open transports", transports), ("taps", "Open taps", taps),
            ("pipes_limited", "Pipes to other relays whose paths have shown a limit within 30 s", pipesLimited),
            ("pipes_limited_bits_per_second", "Sum of the estimates of these pipes' paths", pipeEstimate),
            ("pipe_encodings_withheld", "Encodings that pipes withhold for lack of bandwidth", withheldEncodings),
        ]
    }

    /// Counts a packet that a producer did not forward.
    mutating func count(_ outcome: Producer.Outcome) {
        switch outcome {
        case .forward: break
        case .muted: packetsMuted &+= 1
        case .wrongPayloadType: droppedPayloadType &+= 1
        case .tooOld: droppedTooOld &+= 1
        case .duplicate: droppedDuplicate &+= 1
        case .malformed: droppedMalformed &+= 1
        }
    }

    /// Counts a packet that could not be decrypted.
    mutating func count(_ failure: SRTPFailure) {
        switch failure {
        case .authentication: droppedAuthentication &+= 1
        case .replay: droppedReplay &+= 1
        case .unknownStream: droppedUnknownSSRC &+= 1
        case .malformed, .capacity, .keyExpired, .invalidKey, .library: droppedMalformed &+= 1
        }
    }

    mutating func count(_ end: TransportEnd) {
        switch end {
        case .connectTimeout: peersTimedOut &+= 1
        case .consentLost: peersLostConsent &+= 1
        case .closedByPeer: peersClosed &+= 1
        case .dtls: peersFailed &+= 1
        }
    }

    /// Counts an effect that has no other consequence.
    mutating func count(_ effect: SessionEffect) {
        switch effect {
        case .switched(let delay):
            layerSwitches &+= 1
            switchDelay.record(delay, packets: 1)
        case .firstFrame(let delay): firstFrameDelay.record(delay, packets: 1)
        case .refused: refusedLimit &+= 1
        case .keyFrameLimited: keyFrameRequestsLimited &+= 1
        case .trackPaused: tracksPaused &+= 1
        case .withheld(let encodings): pipeEncodingsWithheld &+= UInt64(encodings)
        default: break
        }
    }

    mutating func count(_ failure: MediaPathFailure) {
        switch failure {
        case .noPackets: pathsWithoutPackets &+= 1
        case .noHandshake: pathsWithoutHandshake &+= 1
        case .noMedia: pathsWithoutMedia &+= 1
        }
    }

    package mutating func add(_ other: EngineCounters) {
        for path in Self.summed { self[keyPath: path] &+= other[keyPath: path] }
        sendDrops.add(other.sendDrops)
        delay.merge(other.delay)
        waiting.merge(other.waiting)
        switchDelay.merge(other.switchDelay)
        firstFrameDelay.merge(other.firstFrameDelay)
    }

    private static var summed: [WritableKeyPath<EngineCounters, UInt64>] {
        [
            \.datagramsReceived, \.bytesReceived, \.packetsReceived, \.packetsForwarded, \.bytesForwarded,
            \.packetsRetransmitted, \.sendCalls, \.sendMessages, \.rtcpReceived, \.rtcpSent, \.keyFrameRequestsReceived,
            \.keyFrameRequestsSent, \.keyFrameRequestsIgnored, \.keyFrameRequestsLimited, \.nacksReceived, \.nacksSent,
            \.packetsMuted,
            \.droppedMalformed,
            \.droppedOversized,
            \.droppedUnknownSSRC, \.droppedAuthentication, \.droppedReplay, \.droppedPayloadType, \.droppedTooOld,
            \.droppedDuplicate, \.droppedUnknownKind, \.droppedUnauthenticRTCP, \.droppedUnknownRTCP,
            \.droppedMalformedRTCP, \.droppedTap, \.droppedLink, \.sendErrors, \.retransmissionsLimited, \.refusedLimit,
            \.workerCPU,
            \.sessions, \.streams, \.transports, \.taps, \.rtxReceived, \.probeBytes, \.packetsWithheld,
            \.layerSwitches, \.tracksPaused, \.peersConnected, \.peersDisplaced,
            \.peersTimedOut, \.peersLostConsent, \.peersClosed, \.peersFailed, \.droppedUnknownPeer,
            \.pathsWithoutPackets, \.pathsWithoutHandshake, \.pathsWithoutMedia,
            \.pipeEncodingsWithheld, \.pipesLimited, \.pipeEstimate, \.withheldEncodings, \.tcpAcceptPauses,
            \.rawPackets, \.rawFallbacks, \.rawRefusals,
        ]
    }
}
