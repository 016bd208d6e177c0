import Forwarding
import MediaBase
import RTP
import SRTP

/// Receive path of plain transports: finds the publisher or subscriber of each packet by SSRC, address and key, and decrypts the packet.
struct PlainIngress: ~Copyable {
    /// Subscribers of one address whose keys are tried on a datagram from it.
    private static let candidatesPerAddress = 8

    /// Decrypted packet of a publisher. A retransmission has the header of the packet that it repeats.
    struct Packet {
        let header: RTPHeader
        let payload: UnsafeRawBufferPointer
        /// Header extensions; none for publishers other than pipes.
        var extensions = RTPExtensionValues()
        var descriptor: UnsafeRawBufferPointer?
        let track: UnsafeMutablePointer<InboundTrack>
    }

    /// Sender of a decrypted RTCP datagram.
    private enum Sender {
        case publisher(UnsafeMutablePointer<InboundTrack>)
        case subscriber(SubscribeTransport)
        /// No key of the SSRC's publishers, or of the address's subscribers, authenticates the datagram.
        case unauthentic
        case unknown
    }

    private var sources = PlainSources()
    /// Subscribers by the source address of their RTCP, oldest first. Several may use one address.
    private var subscribers: [SocketAddress: [SubscribeTransport]] = [:]
    /// Sending ends of pipes by the SSRC of the receiver's RTCP. All pipes between two relays use the same addresses.
    private var pipes: [SSRC: SubscribeTransport] = [:]
    /// Receiving ends of pipes, which acknowledge packets.
    var feedback = PipeFeedback()

    // MARK: membership

    /// Returns whether a publisher uses an SSRC.
    func uses(_ ssrc: SSRC) -> Bool { sources.first(of: ssrc) != nil }

    /// Returns the track that a publisher sends under an SSRC.
    func track(of ssrc: SSRC, from publisher: PublishTransport, _ inbound: borrowing InboundTable) -> Int? {
        for track in sources.tracks(of: ssrc)
        where inbound[track].pointee.transport?.takeUnretainedValue() === publisher {
            return track
        }
        return nil
    }

    /// Returns whether one more publisher may use an SSRC. It must be unused in the session; other sessions may use it.
    func admits(_ ssrc: SSRC, to session: EngineSession, _ inbound: borrowing InboundTable) -> Bool {
        let tracks = sources.tracks(of: ssrc)
        guard tracks.count < PlainSources.maximumShared else { return false }
        for track in tracks where inbound[track].pointee.session.takeUnretainedValue() === session { return false }
        return true
    }

    /// Adds an SSRC of a publisher's track.
    mutating func add(_ source: PlainSources.Source) { sources.insert(source) }

    /// Removes the SSRCs of a track.
    mutating func remove(track: Int) { sources.remove(track: track) }

    mutating func add(_ subscriber: SubscribeTransport) {
        for address in Set(subscriber.targets.map(\.rtcpAddress)) {
            subscribers[address, default: []].append(subscriber)
        }
    }

    /// Adds the sending end of a pipe.
    /// - Parameter ssrc: SSRC of the receiver's RTCP.
    mutating func add(pipe: SubscribeTransport, ssrc: SSRC) { pipes[ssrc] = pipe }

    /// Returns whether a pipe's receiver uses an SSRC.
    func hasPipe(_ ssrc: SSRC) -> Bool { pipes[ssrc] != nil }

    /// Forgets a publisher that has ended, and frees its keys. WebRTC publishers are ignored.
    /// - Parameter tracks: its inbound tracks, which are removed already.
    mutating func close(_ publisher: PublishTransport, tracks: [Int], _ protector: borrowing FanoutProtector) {
        guard publisher.isPlain else { return }
        for track in tracks { remove(track: track) }
        if publisher.isPipe { feedback.remove(publisher) }
        protector.freeContext(publisher.egressContext)
    }

    /// Forgets a subscriber that has ended, and frees its keys. WebRTC subscribers are ignored.
    mutating func close(_ subscriber: SubscribeTransport, _ protector: borrowing FanoutProtector) {
        guard subscriber.isPlain else { return }
        remove(subscriber)
        subscriber.deallocate()
        protector.freeContext(subscriber.egressContext)
    }

    private mutating func remove(_ subscriber: SubscribeTransport) {
        guard !subscriber.isPipe else {
            if let ssrc = pipes.first(where: { $0.value === subscriber })?.key { pipes[ssrc] = nil }
            return
        }
        for address in Set(subscriber.targets.map(\.rtcpAddress)) {
            subscribers[address]?.removeAll { $0 === subscriber }
            if subscribers[address]?.isEmpty == true { subscribers[address] = nil }
        }
    }

    // MARK: RTP

    /// Receives a datagram on the RTP port, and decrypts it in place.
    /// - Returns: nil if the packet was dropped and counted, or is padding.
    mutating func receive(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: SocketAddress, now: MediaTime,
        _ inbound: borrowing InboundTable, _ counters: inout EngineCounters
    ) -> Packet? {
        guard length >= RTPHeader.fixedLength else {
            counters.droppedMalformed &+= 1
            return nil
        }
        let ssrc = SSRC(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        guard var source = sources.first(of: ssrc) else {
            counters.droppedUnknownSSRC &+= 1
            return nil
        }
        var plain = length
        let failure =
            sources.isShared(source)
            ? unprotect(bytes, &plain, shared: &source, from: from, inbound)
            : unprotect(bytes, &plain, of: source, inbound)
        if let failure {
            counters.count(failure)
            return nil
        }
        let track = inbound[sources[source].track]
        let isPipe =
            track.pointee.transport?._withUnsafeGuaranteedRef { transport in
                transport.lastAuthentic = now
                return transport.isPipe
            } ?? false
        if sources[source].address != from { sources[source].address = from }
        let packet = UnsafeRawBufferPointer(start: bytes, count: plain)
        guard var header = try? RTPHeader(parsing: packet) else {
            counters.droppedMalformed &+= 1
            return nil
        }
        var extensions = RTPExtensionValues()
        if isPipe {
            extensions = RTPExtensionValues(header, in: packet, map: PipeFormat.measuredExtensions)
            if let sequence = extensions.transportSequence {
                track.pointee.transport?._withUnsafeGuaranteedRef {
                    feedback.note(sequence.number.rawValue, bytes: length, of: $0, now: now)
                }
            }
        }
        if let rtx = sources[source].rtx {
            guard header.payloadType == rtx else {
                counters.droppedPayloadType &+= 1
                return nil
            }
            let isRepeated = track.pointee.producer._withUnsafeGuaranteedRef {
                header.unwrapRetransmission(in: packet, of: $0.configuration)
            }
            guard isRepeated else { return nil }
            counters.rtxReceived &+= 1
        } else {
            track.pointee.noteRTP(from: from)
        }
        let payload = UnsafeRawBufferPointer(
            rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
        var received = Packet(header: header, payload: payload, track: track)
        if isPipe {
            received.extensions = extensions
            received.descriptor = extensions.dependencyDescriptor(in: packet)
        }
        return received
    }

    @inline(__always)
    private mutating func unprotect(
        _ bytes: UnsafeMutableRawPointer, _ length: inout Int, of source: Int, _ inbound: borrowing InboundTable
    ) -> SRTPFailure? {
        guard let transport = inbound[sources[source].track].pointee.transport else { return .unknownStream }
        var slot = sources[source].slot
        let failure = transport._withUnsafeGuaranteedRef { transport -> SRTPFailure? in
            do throws(SRTPFailure) {
                try transport.context.unprotect(bytes, length: &length, slot: &slot)
            } catch {
                return error
            }
            return nil
        }
        sources[source].slot = slot
        return failure
    }

    /// Decrypts a packet whose SSRC several transports use. Tries the transports that last sent from this address first, then the others,
    /// until a key authenticates the packet.
    /// - Parameter first: the first source of the SSRC; on return, the source of the packet.
    private mutating func unprotect(
        _ bytes: UnsafeMutableRawPointer, _ length: inout Int, shared first: inout Int, from: SocketAddress,
        _ inbound: borrowing InboundTable
    ) -> SRTPFailure? {
        let whole = length
        return withUnsafeTemporaryAllocation(byteCount: whole, alignment: 8) { copy in
            // Failed AEAD decryption leaves its input unusable.
            copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: whole))
            var failure: SRTPFailure?
            var next = sources.firstCandidate(from: first, at: from)
            while let candidate = next {
                if failure != nil, let base = copy.baseAddress { bytes.copyMemory(from: base, byteCount: whole) }
                length = whole
                guard let refusal = unprotect(bytes, &length, of: candidate, inbound) else {
                    first = candidate
                    return nil
                }
                failure = failure ?? refusal
                next = sources.candidate(after: candidate, from: first, at: from)
            }
            return failure
        }
    }

    // MARK: RTCP

    /// Receives an RTCP datagram, finds its sender by its keys, and decrypts it in place.
    /// - Returns: nil if it was dropped and counted.
    func receiveRTCP(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: SocketAddress, now: MediaTime,
        _ inbound: borrowing InboundTable, _ protector: borrowing FanoutProtector, _ counters: inout EngineCounters
    ) -> ReceivedRTCP? {
        guard length >= 8 else {
            counters.droppedMalformedRTCP &+= 1
            return nil
        }
        var decrypted = length
        switch authenticateRTCP(bytes, &decrypted, from: from, inbound, protector) {
        case .publisher(let track):
            guard let transport = track.pointee.transport?.takeUnretainedValue() else { return nil }
            track.pointee.rtcpAddress = from
            transport.lastAuthentic = now
            return ReceivedRTCP(bytes, length: decrypted, from: .publisher(transport), &counters)
        case .subscriber(let transport):
            transport.starts.end()
            return ReceivedRTCP(bytes, length: decrypted, from: .subscriber(transport), &counters)
        case .unauthentic: counters.droppedUnauthenticRTCP &+= 1
        case .unknown: counters.droppedUnknownRTCP &+= 1
        }
        return nil
    }

    /// Finds the sender of an RTCP datagram of at least 8 bytes by its keys, and decrypts the datagram in place. Of the subscribers that share
    /// an address only the oldest are tried: newcomers cannot displace them, and the cost of a datagram stays bounded.
    private func authenticateRTCP(
        _ bytes: UnsafeMutableRawPointer, _ length: inout Int, from: SocketAddress, _ inbound: borrowing InboundTable,
        _ protector: borrowing FanoutProtector
    ) -> Sender {
        let ssrc = SSRC(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        if let first = sources.first(of: ssrc) {
            var tracks: [UnsafeMutablePointer<InboundTrack>] = []
            for source in sources.candidates(from: first, at: from) { tracks.append(inbound[sources[source].track]) }
            let contexts = tracks.compactMap { $0.pointee.transport?.takeUnretainedValue().egressContext }
            return Self.authenticate(bytes, &length, contexts, protector).map { .publisher(tracks[$0]) } ?? .unauthentic
        }
        guard let candidates = pipes[ssrc].map({ [$0] }) ?? subscribers[from] else { return .unknown }
        let contexts = candidates.prefix(Self.candidatesPerAddress).map(\.egressContext)
        return Self.authenticate(bytes, &length, contexts, protector).map { .subscriber(candidates[$0]) }
            ?? .unauthentic
    }

    /// Tries keys in order.
    /// - Returns: index of the key that authenticates the datagram, which is then decrypted; nil: none does.
    private static func authenticate(
        _ bytes: UnsafeMutableRawPointer, _ length: inout Int, _ contexts: [UnsafeMutablePointer<EgressContext>],
        _ protector: borrowing FanoutProtector
    ) -> Int? {
        let whole = length
        // A failed attempt may have overwritten the datagram.
        let copy = contexts.count > 1 ? Array(UnsafeRawBufferPointer(start: bytes, count: whole)) : []
        for (i, egressContext) in contexts.enumerated() {
            if i > 0 {
                copy.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: bytes, count: whole).copyMemory(from: $0) }
            }
            do {
                try protector.unprotectRTCP(egressContext, bytes, length: &length)
                return i
            } catch {
                length = whole
            }
        }
        return nil
    }
}
