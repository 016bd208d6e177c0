package import DTLS
package import MediaBase
package import SDP
package import SRTP
package import Transport

extension WebRTCEndpoint {
    package enum Direction: Sendable {
        case publish
        case view
        /// The relay offers, as many tracks as it has for this client.
        case receive
    }

    package struct Configuration: Sendable {
        package var direction: Direction
        /// What is offered, in order. Encodings without SSRCs get some.
        package var tracks: [TrackDescription]
        package var identity: DTLSIdentity
        package var credentials: ICECredentials
        /// Of this side. A relay that is ICE-lite needs none.
        package var candidates: [ICECandidate] = []
        package var cname: String
        package var suites: [SRTPSuite] = [.aeadAES128GCM, .aesCM128HMACSHA1_80]
        /// Keys in offers and answers instead of a handshake; the relay has to take them. Nil: DTLS.
        package var keys: SignalledKeys?
        package var consentTimeout = MediaTime.seconds(30)
        /// Of a viewer's reports; drawn at random.
        package var reporter: SSRC
        /// What the clock of `now` is to be added to for nanoseconds since 1970.
        package var wallClock = MediaTime.seconds(1_800_000_000)
        /// Packets of each encoding that are kept for those who ask for them again. A power of two.
        package var history = 512
        package var asksForLostPackets = true
        package var sendsLostPacketsAgain = true
        package var sendsTransportFeedback = true
        /// A receiver reports what its path carries by REMB.
        package var sendsREMB = false
        /// What a publisher's path is taken to carry at first; nil: it is not estimated.
        package var uplinkStart: Bitrate?

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
                for place in track.encodings.indices {
                    track.encodings[place].ssrc =
                        track.encodings[place].ssrc ?? SSRC(.random(in: 1 ... .max, using: &random))
                    guard track.rtxPayloadType != nil else { continue }
                    track.encodings[place].rtxSSRC =
                        track.encodings[place].rtxSSRC ?? SSRC(.random(in: 1 ... .max, using: &random))
                }
                return track
            }
        }

        /// Publishes Opus and VP8; with `rids` as simulcast.
        package static func publisher(
            identity: DTLSIdentity, rids: [RID] = [], audio: Bool = true, video: Bool = true, retransmits: Bool = true,
            using random: inout some RandomNumberGenerator
        ) -> Configuration {
            var tracks: [TrackDescription] = []
            if audio { tracks.append(.offered(.audio, encodings: [.init()])) }
            if video {
                tracks.append(
                    .offered(
                        .video, retransmits: retransmits,
                        encodings: rids.isEmpty ? [.init()] : rids.map { .init(rid: $0) }))
            }
            return Configuration(.publish, tracks: tracks, identity: identity, using: &random)
        }

        /// Receives what the relay offers.
        package static func receiver(identity: DTLSIdentity, using random: inout some RandomNumberGenerator)
            -> Configuration
        {
            Configuration(.receive, tracks: [], identity: identity, using: &random)
        }

        /// Views one stream.
        package static func viewer(
            identity: DTLSIdentity, retransmits: Bool = true, using random: inout some RandomNumberGenerator
        ) -> Configuration {
            Configuration(
                .view, tracks: [.offered(.audio), .offered(.video, retransmits: retransmits)], identity: identity,
                using: &random)
        }
    }
}
