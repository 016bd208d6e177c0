import CLinuxNet
import Forwarding
import MediaBase
import RTP

/// Requests to publishers for missing packets (RFC 4585 section 6.2.1) and key frames (section 6.3.1). Only
/// tracks with pending requests are visited, each when it is due.
extension Worker {
    /// Minimum time between two rounds of requests, so that losses close together share a packet.
    private static let requestSpacing = MediaTime.milliseconds(5)

    /// Requests a key frame from the publisher, now or as soon as its throttle allows.
    /// - Parameter isAwaited: a subscriber receives nothing from the producer before that key frame.
    func requestKeyFrame(of producer: Producer, isAwaited: Bool = false) {
        #if DEBUG
            guard let producer = keyFrameSource(of: producer) else { return }
        #endif
        producer.keyFrames.request(isAwaited: isAwaited)
        askWhenDue(inbound + producer.tag, producer)
    }

    /// Lists a track if it has requests. Called for every packet: without requests it costs three loads.
    @inline(__always)
    func askWhenDue(_ track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer) {
        guard let due = producer.requestsDue, due < nextRequests || !track.pointee.isAsking else { return }
        if !track.pointee.isAsking {
            track.pointee.isAsking = true
            asking.append(track - inbound)
        }
        nextRequests = min(nextRequests, max(due, lastRequests + Self.requestSpacing))
    }

    func forgetRequests(of index: Int) {
        guard inbound[index].isAsking else { return }
        asking.removeAll { $0 == index }
    }

    func sendRequests(_ now: MediaTime) {
        lastRequests = now
        nextRequests = .never
        var kept = 0
        for i in asking.indices {
            let track = inbound + asking[i]
            let producer = track.pointee.producer.takeUnretainedValue()
            // The address of a publisher is unknown before its first packet, which lists the track again.
            if hasAddress(track) { ask(producer, of: track.pointee.transport.takeUnretainedValue(), now) }
            guard hasAddress(track), let due = producer.requestsDue else {
                track.pointee.isAsking = false
                continue
            }
            nextRequests = min(nextRequests, max(due, now + Self.requestSpacing))
            asking[kept] = asking[i]
            kept += 1
        }
        asking.removeLast(asking.count - kept)
    }

    private func hasAddress(_ track: UnsafeMutablePointer<InboundTrack>) -> Bool {
        track.pointee.rtpAddress.length > 0 || track.pointee.rtcpAddress.length > 0
            || track.pointee.transport._withUnsafeGuaranteedRef { !$0.isPlain }
    }

    private func ask(_ producer: Producer, of transport: PublishTransport, _ now: MediaTime) {
        let missing = producer.nack.take(now: now)
        if !missing.isEmpty {
            var bytes: [UInt8] = []
            ReceiverReport(sender: transport.localSSRC).write(into: &bytes)
            GenericNACK(sender: transport.localSSRC, media: producer.configuration.ssrc, sequences: missing).write(
                into: &bytes)
            counters.nacksSent &+= UInt64(missing.count)
            send(bytes, to: producer, of: transport)
        }
        if producer.nack.needsKeyFrame {
            producer.nack.keyFrameRequested()
            if producer.kind == .video { producer.keyFrames.request() }
        }
        if producer.keyFrames.take(now: now) {
            var bytes: [UInt8] = []
            ReceiverReport(sender: transport.localSSRC).write(into: &bytes)
            PLI(sender: transport.localSSRC, media: producer.configuration.ssrc).write(into: &bytes)
            counters.keyFrameRequestsSent &+= 1
            send(bytes, to: producer, of: transport)
        }
    }
}
