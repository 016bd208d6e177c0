package import DTLS
package import MediaBase
package import SDP
package import SRTP
package import Transport

extension WebRTCEndpoint {
    package enum Direction: Sendable {
        case publish
        case view
        /// The relay makes the offers, with as many tracks as it has for this client.
        case receive
    }

    package struct Configuration: Sendable {
        package var direction: Direction
        /// Tracks to offer, in order. Encodings without SSRCs get random ones.
        package var tracks: [TrackDescription]
        /// Video codecs that this side accepts in the relay's offers. Not empty.
        package var videoCodecs: [VideoCodec] = [.vp8]
        package var identity: DTLSIdentity
        package var credentials: ICECredentials
        /// Candidates of this side. Not needed if the relay is ICE-lite.
        package var candidates: [ICECandidate] = []
        package var cname: String
        package var suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80]
        /// Keys in offers and answers instead of a DTLS handshake, which the relay must support. Nil: DTLS.
        package var keys: SignalledKeys?
        package var consentTimeout = MediaTime.seconds(30)
        /// SSRC of a subscriber's reports; random.
        package var reporter: SSRC
        /// Offset to add to `now` for nanoseconds since 1970.
        package var wallClock = MediaTime.seconds(1_800_000_000)
        /// Packets stored per encoding for retransmissions. A power of two.
        package var history = 512
        package var asksForLostPackets = true
        package var sendsLostPacketsAgain = true
        package var sendsTransportFeedback = true
        /// If true, a receiver reports the estimated bit rate of its path by REMB.
        package var sendsREMB = false
        /// Initial bandwidth estimate of a publisher's path; nil: the path is not estimated.
        package var uplinkStart: Bitrate?
        /// If true, the endpoint probes an estimated path up to `UplinkEstimate.wanted` by repeating video on the retransmission stream. For
        /// a publisher that cannot raise its bit rate in small steps.
        package var probesUplink = false

        package init(
            _ direction: Direction, tracks: [TrackDescription], identity: DTLSIdentity,
            using random: inout some RandomNumberGenerator
        ) {
            self.direction = direction
            self.identity = identity
            credentials = .random(using: &random)
            cname = "peer-\(UInt32.random(in: .min ... .max, using: &random))"
            reporter = SSRC(.random(in: 1 ... .max, using: &random))
            self.tracks = tracks.map { track in
                var track = track
                for index in track.encodings.indices {
                    track.encodings[index].ssrc =
                        track.encodings[index].ssrc ?? SSRC(.random(in: 1 ... .max, using: &random))
                    guard track.retransmits else { continue }
                    track.encodings[index].rtxSSRC =
                        track.encodings[index].rtxSSRC ?? SSRC(.random(in: 1 ... .max, using: &random))
                }
                return track
            }
        }

        /// Returns a configuration that publishes Opus and video, as simulcast if there are `rids`.
        /// - Parameter codecs: video codecs in the order of preference; the relay's answer names one.
        package static func publisher(
            identity: DTLSIdentity, rids: [RID] = [], audio: Bool = true, video: Bool = true,
            codecs: [VideoCodec] = [.vp8], retransmits: Bool = true, using random: inout some RandomNumberGenerator
        ) -> Configuration {
            var tracks: [TrackDescription] = []
            if audio { tracks.append(.offered(.audio, encodings: [.init()])) }
            if video {
                tracks.append(
                    .offered(
                        .video, codecs: codecs, retransmits: retransmits,
                        encodings: rids.isEmpty ? [.init()] : rids.map { .init(rid: $0) }))
            }
            return Configuration(.publish, tracks: tracks, identity: identity, using: &random)
        }

        /// Returns a configuration that receives the tracks that the relay offers.
        package static func receiver(identity: DTLSIdentity, using random: inout some RandomNumberGenerator)
            -> Configuration
        {
            Configuration(.receive, tracks: [], identity: identity, using: &random)
        }

        /// Returns a configuration that subscribes to one stream.
        /// - Parameter codecs: accepted video codecs.
        package static func subscriber(
            identity: DTLSIdentity, audio: Bool = true, video: Bool = true, codecs: [VideoCodec] = [.vp8],
            retransmits: Bool = true, using random: inout some RandomNumberGenerator
        ) -> Configuration {
            var tracks: [TrackDescription] = []
            if audio { tracks.append(.offered(.audio)) }
            if video { tracks.append(.offered(.video, codecs: codecs, retransmits: retransmits)) }
            return Configuration(.view, tracks: tracks, identity: identity, using: &random)
        }
    }
}
