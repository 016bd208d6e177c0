import MediaBase
import SDP

/// The relay's side of a transport, as the targets' descriptions and checks name it.
enum FuzzPeer {
    static let local = ICECredentials(ufrag: "relay", password: "passwordOfTheRelay000001")
    static let remote = ICECredentials(ufrag: "peer", password: "passwordOfThePeer0000001")

    static let relay: RelayDescription? = {
        guard let local, let fingerprint = CertificateFingerprint(.sha256, bytes: [UInt8](repeating: 0xcd, count: 32))
        else { return nil }
        return RelayDescription(
            credentials: local, fingerprint: fingerprint, setup: .passive,
            candidates: [
                ICECandidate(foundation: "1", transport: .udp, priority: 2_130_706_431, host: "192.0.2.9", port: 7882),
                ICECandidate(
                    foundation: "2", transport: .tcp, priority: 1_671_430_143, host: "2001:db8::9", port: 7882,
                    tcpType: .passive),
            ])
    }()

    static func send(_ tracks: [TrackDescription]) -> [AnsweredTrack] {
        tracks.enumerated().map { index, track in
            .send(
                track, ssrc: SSRC(UInt32(1_000 + index)),
                rtxSSRC: track.rtxPayloadType == nil ? nil : SSRC(UInt32(2_000 + index)), cname: "cname",
                streamID: "stream", trackID: "track\(index)")
        }
    }
}
