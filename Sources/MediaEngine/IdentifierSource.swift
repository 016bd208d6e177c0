import Forwarding
import MediaBase
import RTP
import SDP
import Transport

/// Makes the names, SSRCs, first sequence numbers and ICE credentials of a worker.
struct IdentifierSource {
    private var random: WorkerRandom
    private let worker: Int

    /// - Parameters:
    ///   - worker: index of the worker, at most 255.
    ///   - seed: makes them repeatable; nil: they are unpredictable, as production requires.
    init(worker: Int, seed: UInt64?) {
        self.worker = worker
        random = WorkerRandom(seed: seed)
    }

    mutating func hex(_ digits: Int) -> String {
        let all = Array("0123456789abcdef")
        return String((0..<digits).map { _ in all[Int.random(in: 0..<16, using: &random)] })
    }

    /// Returns an id that names the worker and is otherwise random.
    mutating func transport() -> TransportID { TransportID(worker: worker, random: hex(14)) }

    mutating func number() -> UInt64 { UInt64.random(in: .min ... .max, using: &random) }

    /// Returns an SSRC that no plain publisher uses.
    /// - Parameter transport: the SSRC also differs from those that it has or requests, since two
    ///   streams under one SSRC and key would share a keystream.
    mutating func ssrc(for transport: SubscribeTransport? = nil, besides plain: borrowing PlainIngress) -> SSRC {
        while true {
            let ssrc = SSRC(UInt32.random(in: 1...UInt32.max, using: &random))
            let isTaken = transport.map {
                $0.tracks.contains { $0.ssrc == ssrc || $0.rtx?.ssrc == ssrc }
                    || $0.targets.contains { $0.ssrc == ssrc || $0.rtx?.ssrc == ssrc.rawValue }
            }
            if isTaken != true, !plain.uses(ssrc) { return ssrc }
        }
    }

    /// Returns distinct SSRCs for the tracks of one transport.
    mutating func ssrcs() -> SSRCSequence { SSRCSequence(using: &random) }

    /// Returns the state of an outgoing stream that has sent nothing.
    mutating func progress() -> Consumer.Progress {
        Consumer.Progress(
            firstSequence: UInt16.random(in: 0...UInt16.max, using: &random),
            firstRTXSequence: UInt16.random(in: 0...UInt16.max, using: &random))
    }

    /// Returns credentials whose user name fragment no peer has.
    mutating func credentials(besides peers: borrowing PeerTable) -> ICECredentials {
        while true {
            let made = ICECredentials.random(using: &random)
            if peers.peer(fragment: made.ufrag) == nil { return made }
        }
    }
}
