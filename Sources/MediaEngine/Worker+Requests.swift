import CLinuxNet
import Forwarding
import MediaBase
import RTP

/// Requests to publishers for missing packets (RFC 4585 section 6.2.1) and key frames (section 6.3.1). Only
/// tracks with pending requests are visited, each when it is due.
extension Worker {
    /// Requests a key frame from the publisher, now or as soon as its throttle allows.
    /// - Parameter isAwaited: a subscriber receives nothing from the producer before that key frame.
    func requestKeyFrame(of producer: Producer, isAwaited: Bool = false) {
        #if DEBUG
            guard let producer = keyFrameSource(of: producer) else { return }
        #endif
        producer.keyFrames.request(isAwaited: isAwaited)
        inbound.askWhenDue(inbound[producer.tag], producer)
    }

    func sendRequests(_ now: MediaTime) {
        for index in inbound.takeAsking(now: now) {
            let track = inbound[index]
            // The address of a publisher is unknown before its first packet, which lists the track again.
            guard hasAddress(track) else { continue }
            let producer = track.pointee.producer.takeUnretainedValue()
            ask(producer, of: track.pointee.transport.takeUnretainedValue(), now)
            inbound.askWhenDue(track, producer)
        }
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
