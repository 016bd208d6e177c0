import Conference
import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import SessionMedia
import Signaling

@testable import ControlServer

/// Model of the media engine of one relay: what it publishes, mirrors and sends.
struct RelayModel {
    struct Peer {
        let isPublisher: Bool
        /// Stream of a subscriber of one stream.
        var wanted: String?
        var location = Location.mainSession
        var streams: Set<String> = []
    }

    struct Mirror {
        /// Number of the stream's track at its relay.
        let number: UInt64?
        var subsession: String
        var isMuted: Bool
        var isWithheld = false
    }

    struct Receiver {
        var mirrors: [String: Mirror] = [:]
        var sender: TransportID?
    }

    let name: String
    var peers: [PeerID: Peer] = [:]
    var muted: Set<String> = []
    var receivers: [TransportID: Receiver] = [:]
    var senders: [TransportID: [PipeTrack]] = [:]
    /// Streams in codecs that subscribers of one stream do not accept.
    var strangeCodecs: [String: VideoCodec] = [:]
    /// Whether calls for the state of peers and streams are refused.
    var refusesState = false
    /// Whether it is of an earlier version, which does not keep negotiations, and the number of those that it has got.
    var isEarlier = false
    var negotiations = 0
    /// Percentage of calls that are refused.
    var refusals = 0
    /// Reports of changed streams that the home relay has not got.
    var reports = 0
    /// Numbers of the tracks of streams, never used again.
    var numbers: [String: UInt64] = [:]
    var counter: UInt64 = 0
    var random: SeededGenerator

    init(name: String, seed: UInt64) {
        self.name = name
        random = SeededGenerator(seed: seed)
    }

    var streams: Set<String> { peers.values.reduce(into: []) { $0.formUnion($1.streams) } }

    /// Returns the subsession of a stream that is published here.
    func subsession(of stream: String) -> String? {
        peers.values.first { $0.streams.contains(stream) }?.location.name
    }

    /// Publishes a stream that no order names.
    mutating func addStream(_ name: String) {
        peers[PeerID(rawValue: makeID())] = Peer(isPublisher: true, streams: [name])
        counter += 1
        numbers[name] = counter
    }

    mutating func makeID() -> String {
        counter += 1
        return "\(name).\(counter)"
    }

    mutating func changed() { if !senders.isEmpty { reports += 1 } }

    mutating func run(_ call: MediaCall) -> Result<MediaCallAnswer, EngineError> {
        do throws(EngineError) {
            return .success(try carryOut(call))
        } catch {
            return .failure(error)
        }
    }

    private mutating func carryOut(_ call: MediaCall) throws(EngineError) -> MediaCallAnswer {
        switch call {
        case .order(let order): return .media(try carryOut(order))
        case .openPipeReceiver, .openPipeSender, .describe, .mirror, .send:
            guard random.below(100) >= refusals else { throw .limitReached(name: "mailbox", limit: 1) }
            return try carryOutPipe(call)
        case .withhold(let streams, let pipe):
            guard receivers[pipe] != nil else { throw .unknownTransport(pipe.rawValue) }
            for stream in streams { receivers[pipe]?.mirrors[stream]?.isWithheld = true }
        case .closePipe(let pipe):
            guard receivers.removeValue(forKey: pipe) != nil || senders.removeValue(forKey: pipe) != nil else {
                throw .unknownTransport(pipe.rawValue)
            }
        case .openWebRTC(let request): return .opened(try open(request))
        case .openPlain(let request): return .openedPlain(try open(request))
        case .requestKeyFrame(let peer): _ = try snapshot(of: peer)
        case .webRTC(let peer): return .webRTC(try snapshot(of: peer))
        case .restartICE(let peer, _): return .media(.credentials(try snapshot(of: peer).credentials))
        case .setLayer(let peer, _): _ = try snapshot(of: peer)
        case .subscriberCounts: return .subscriberCounts(subscriberCounts)
        case .state(let asked): return .state(try state(of: asked))
        case .inventory: return .inventory(MediaInventory())
        case .negotiated:
            negotiations += 1
            if isEarlier { throw .invalidRequest(field: "call", reason: "this relay does not know it") }
        case .statistics, .quality, .trace: throw .invalidRequest(field: "call", reason: "not modelled")
        }
        return .done
    }

    private mutating func carryOutPipe(_ call: MediaCall) throws(EngineError) -> MediaCallAnswer {
        switch call {
        case .openPipeReceiver:
            let id = TransportID(rawValue: makeID())
            receivers[id] = Receiver()
            return .pipe(PipeEnd(id: id, address: "192.0.2.1", port: 1, ssrc: 1))
        case .openPipeSender:
            guard peers.values.contains(where: \.isPublisher) else { throw .unknownSession(name) }
            let id = TransportID(rawValue: makeID())
            senders[id] = []
            return .pipe(PipeEnd(id: id, address: "192.0.2.1", port: 1, ssrc: 0))
        case .describe: return .description(describe())
        case .mirror(let description, let pipe, let sender):
            return .tracks(try mirror(description, pipe, sender))
        case .send(let tracks, let pipe):
            guard senders[pipe] != nil else { throw .unknownTransport(pipe.rawValue) }
            senders[pipe] = tracks
        default: break
        }
        return .done
    }

    private mutating func describe() -> PipeDescription {
        PipeDescription(
            streams: streams.sorted().map { stream in
                PipeDescription.Stream(
                    name: stream, subsession: subsession(of: stream) ?? "", createdAt: 0, isEncrypted: false,
                    codec: nil, muted: muted.contains(stream) ? [.audio] : [],
                    tracks: [
                        PipeDescription.Track(
                            number: numbers[stream, default: 0], kind: .audio, rid: nil, payloadType: 111,
                            replayLimit: .never)
                    ])
            })
    }

    private mutating func mirror(
        _ description: PipeDescription, _ pipe: TransportID, _ sender: PipeEnd
    ) throws(EngineError) -> [PipeTrack] {
        guard let receiver = receivers[pipe] else { throw .unknownTransport(pipe.rawValue) }
        guard receiver.sender ?? sender.id == sender.id else {
            throw .invalidRequest(field: "sender", reason: "is another one")
        }
        receivers[pipe]?.sender = sender.id
        receivers[pipe]?.mirrors = [:]
        var tracks: [PipeTrack] = []
        for stream in description.streams where !isTaken(stream.name, besides: pipe) {
            receivers[pipe]?.mirrors[stream.name] = Mirror(
                number: stream.tracks.first?.number, subsession: stream.subsession,
                isMuted: stream.muted.contains(.audio))
            tracks += stream.tracks.map { PipeTrack(number: $0.number, ssrc: UInt32($0.number), rtx: 0) }
        }
        return tracks.sorted { $0.number < $1.number }
    }

    func isTaken(_ stream: String, besides pipe: TransportID) -> Bool {
        streams.contains(stream)
            || receivers.contains { $0.key != pipe && $0.value.mirrors[stream] != nil }
    }

    private mutating func carryOut(_ order: MediaOrder) throws(EngineError) -> MediaAnswer {
        switch order {
        case .openPublisher(_, _, let sections):
            return .publisher(try publish(Set(sections.map(\.stream.rawValue))), relay())
        case .openVisitor(_, let visitor):
            if case .publish(let stream, _) = visitor.purpose {
                let id = try publish([stream.rawValue])
                if !visitor.startsMuted.isEmpty { muted.insert(stream.rawValue) }
                return .visitor(id, videoCodec: nil, kinds: nil)
            }
            return .visitor(try view(visitor.wanted?.rawValue), videoCodec: nil, kinds: nil)
        case .openSubscriber:
            let id = PeerID(rawValue: makeID())
            peers[id] = Peer(isPublisher: false)
            return .subscriber(id, relay(), videoCodecs: [])
        case .updatePublisher(let id, _, let sections):
            guard peers[id] != nil else { throw .unknownTransport(id.rawValue) }
            peers[id]?.streams = Set(sections.map(\.stream.rawValue))
            changed()
            return .publisher(id, relay())
        case .setMuted(let stream, _, let isMuted):
            guard streams.contains(stream.rawValue) else { throw .unknownStream(stream.rawValue) }
            if isMuted { muted.insert(stream.rawValue) } else { muted.remove(stream.rawValue) }
            changed()
        case .closePeer(let peer, _):
            guard let closed = peers.removeValue(forKey: peer) else { throw .unknownTransport(peer.rawValue) }
            muted.subtract(closed.streams)
            for stream in closed.streams { numbers[stream] = nil }
            changed()
        case .relocate(let locations):
            for (peer, location) in locations { peers[peer]?.location = location }
            changed()
        default: throw .invalidRequest(field: "order", reason: "not modelled")
        }
        return .done
    }

    mutating func publish(_ streams: Set<String>) throws(EngineError) -> PeerID {
        for stream in streams where isTaken(stream, besides: TransportID(rawValue: "")) { throw .streamExists(stream) }
        let id = PeerID(rawValue: makeID())
        peers[id] = Peer(isPublisher: true, streams: streams)
        for stream in streams {
            counter += 1
            numbers[stream] = counter
        }
        muted.subtract(streams)
        changed()
        return id
    }

    mutating func relay() -> RelayDescription {
        guard let fingerprint = CertificateFingerprint(.sha256, bytes: [UInt8](repeating: 1, count: 32)) else {
            preconditionFailure("a SHA-256 fingerprint has 32 bytes")
        }
        return RelayDescription(
            credentials: .random(using: &random), fingerprint: fingerprint, setup: .passive, candidates: [])
    }
}

extension Location {
    /// Name of the subsession; empty in the main session.
    fileprivate var name: String { subsession?.rawValue ?? "" }
}
