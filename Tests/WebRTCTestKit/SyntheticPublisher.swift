package import MediaBase
package import RTP
package import Transport
package import WebRTCClient

/// Publisher of synthetic media. From the moment it is connected it sends audio every 20 ms and video at its frame rate, with key
/// frames on request.
package final class SyntheticPublisher {
    package static let audioInterval = MediaTime.milliseconds(20)

    package let endpoint: WebRTCEndpoint
    /// Source id in everything that it sends.
    package let source: UInt32
    private let audioTrack: Int?
    private let videoTrack: Int?
    private var video: SyntheticVideo?
    private var audioNumber: UInt32 = 0
    private var nextAudio = MediaTime.never
    private var nextFrame = MediaTime.never
    /// Audio level that it sends; -30 dBov and speech by default.
    package var level = AudioLevel(level: 30, isVoice: true)
    /// True to send no audio.
    package var isMuted = false
    /// True to send no key frame but the first.
    package var ignoresKeyFrameRequests = false

    /// - Parameter video: has the encodings of the offer's video track.
    package init(_ endpoint: WebRTCEndpoint, source: UInt32, video: SyntheticVideo?) {
        self.endpoint = endpoint
        self.source = source
        self.video = video
        audioTrack = endpoint.configuration.tracks.firstIndex { $0.kind == .audio }
        videoTrack = endpoint.configuration.tracks.firstIndex { $0.kind == .video }
    }

    /// Number of frames made so far.
    package var frames: UInt32 { video?.number ?? 0 }
    package var audioPackets: UInt32 { audioNumber }
    package var keyFrames: UInt64 { video?.keyFrames ?? 0 }

    package var deadline: MediaTime { min(endpoint.deadline, nextAudio, nextFrame) }

    package func receive(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        endpoint.receive(datagram, from: source, now: now)
    }

    package func handleTimeout(now: MediaTime) {
        endpoint.handleTimeout(now: now)
        if nextAudio <= now {
            sendAudio(now: now)
            nextAudio += Self.audioInterval
        }
        if nextFrame <= now, let video {
            sendFrame(now: now)
            nextFrame += video.interval
        }
    }

    /// Returns the endpoint's next output, except key frame requests, which the publisher handles.
    package func nextOutput(now: MediaTime) -> WebRTCEndpoint.Output? {
        while let output = endpoint.nextOutput() {
            switch output {
            case .connected:
                if audioTrack != nil { nextAudio = now }
                if videoTrack != nil, video != nil { nextFrame = now }
                return output
            case .keyFrameWanted(_, let encoding):
                if !ignoresKeyFrameRequests { video?.requestKeyFrame(encoding: encoding) }
            case .ended:
                stop()
                return output
            case .transmit, .connect, .disconnect, .noPath: return output
            }
        }
        return nil
    }

    /// Stops sending media.
    package func stop() {
        nextAudio = .never
        nextFrame = .never
    }

    private func sendAudio(now: MediaTime) {
        guard let audioTrack, !isMuted else { return }
        let payload = SyntheticAudio(source: source, number: audioNumber, captured: now).payload
        audioNumber &+= 1
        _ = payload.withUnsafeBytes {
            endpoint.send($0, track: audioTrack, time: now, marker: false, level: level, now: now)
        }
    }

    private func sendFrame(now: MediaTime) {
        guard let videoTrack else { return }
        video?.nextFrame(captured: now) { encoding, payload, isLast in
            endpoint.send(payload, track: videoTrack, encoding: encoding, time: now, marker: isLast, now: now)
        }
    }
}
