package import MediaBase
package import Transport
package import WebRTCClient
import RTP

/// Subscriber of synthetic media: assembles frames, checks each of them, and requests a key frame if it has none.
package final class SyntheticSubscriber {
    package let endpoint: WebRTCEndpoint
    /// Source of the expected media; nil: the first source that is received.
    package private(set) var source: UInt32?
    package private(set) var reception = SyntheticReception()
    private let videoTrack: Int
    private var assembler: FrameAssembler
    private var timestamps = TimestampUnwrapper()
    private var now = MediaTime.zero
    private var keyFrameDue = MediaTime.never

    /// Time to wait for the first key frame, and for one after a loss, before requesting it again.
    private static let patience = MediaTime.milliseconds(1000)

    /// - Parameter wait: time to wait for a missing packet before requesting a key frame instead.
    package init(_ endpoint: WebRTCEndpoint, source: UInt32? = nil, wait: MediaTime = .milliseconds(1000)) {
        self.endpoint = endpoint
        self.source = source
        assembler = FrameAssembler(maximumWait: wait, skipsToKeyFrames: true)
        videoTrack = endpoint.configuration.tracks.firstIndex { $0.kind == .video } ?? 0
        endpoint.onPacket = { [unowned self] packet in take(packet) }
    }

    package var deadline: MediaTime { min(endpoint.deadline, assembler.nextTimeout ?? .never, keyFrameDue) }

    package func receive(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        self.now = now
        endpoint.receive(datagram, from: source, now: now)
        drain()
    }

    package func handleTimeout(now: MediaTime) {
        self.now = now
        if keyFrameDue <= now {
            keyFrameDue = now + Self.patience
            endpoint.requestKeyFrame(track: videoTrack)
        }
        if let due = assembler.nextTimeout, due <= now { assembler.handleTimeout(now: now) }
        drain()
        endpoint.handleTimeout(now: now)
    }

    /// Resets the longest pause.
    package func forgetPauses() { reception.longestPause = .zero }

    package func nextOutput() -> WebRTCEndpoint.Output? {
        let output = endpoint.nextOutput()
        switch output {
        case .connected: keyFrameDue = now + Self.patience
        case .ended: keyFrameDue = .never
        default: break
        }
        return output
    }

    private func take(_ packet: IncomingPacket) {
        switch packet.kind {
        case .audio:
            guard let audio = SyntheticAudio(parsing: packet.payload), isExpected(audio.source) else {
                reception.wrong += 1
                return
            }
            reception.note(audio, now: now)
        case .video:
            if assembler.isWaitingForKeyFrame, keyFrameDue == .never { keyFrameDue = now + Self.patience }
            assembler.insert(
                sequence: packet.sequence, timestamp: timestamps.unwrap(packet.header.timestamp),
                marker: packet.header.marker, payload: packet.payload, now: now)
        }
    }

    private func drain() {
        while let event = assembler.nextEvent() {
            switch event {
            case .frame(let frame):
                keyFrameDue = .never
                guard let content = SyntheticFrame(parsing: frame.bytes), isExpected(content.source),
                    content.isKeyFrame == frame.isKeyFrame
                else {
                    reception.wrong += 1
                    continue
                }
                reception.note(content, now: now)
            case .gap(let gap):
                guard gap.needsKeyFrame else { continue }
                endpoint.requestKeyFrame(track: videoTrack)
                keyFrameDue = now + Self.patience
            }
        }
    }

    private func isExpected(_ maker: UInt32) -> Bool {
        if source == nil { source = maker }
        return source == maker
    }
}
