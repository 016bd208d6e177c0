package import MediaBase
package import RTP
package import Transport
package import WebRTCClient

/// Publisher of synthetic media. From the moment it is connected it sends audio every 20 ms and video at its frame rate, with key
/// frames on request.
package final class SyntheticPublisher {
    package static let soundInterval = MediaTime.milliseconds(20)

    package let endpoint: WebRTCEndpoint
    /// Source id in everything that it sends.
    package let source: UInt32
    private let audioTrack: Int?
    private let videoTrack: Int?
    private var video: SyntheticVideo?
    private var soundNumber: UInt32 = 0
    private var nextSound = MediaTime.never
    private var nextPicture = MediaTime.never
    /// Audio level that it sends; -30 dBov and speech by default.
    package var level = AudioLevel(level: 30, isVoice: true)
    /// True to send no audio.
    package var isMuted = false

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
    package var audioPackets: UInt32 { soundNumber }
    package var keyFrames: UInt64 { video?.keyFrames ?? 0 }

    package var deadline: MediaTime { min(endpoint.deadline, nextSound, nextPicture) }

    package func receive(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        endpoint.receive(datagram, from: source, now: now)
    }

    package func handleTimeout(now: MediaTime) {
        endpoint.handleTimeout(now: now)
        if nextSound <= now {
            sendSound(now: now)
            nextSound += Self.soundInterval
        }
        if nextPicture <= now, let video {
            sendPicture(now: now)
            nextPicture += video.interval
        }
    }

    /// Returns the endpoint's next output, except key frame requests, which the publisher handles.
    package func nextOutput(now: MediaTime) -> WebRTCEndpoint.Output? {
        while let output = endpoint.nextOutput() {
            switch output {
            case .connected:
                if audioTrack != nil { nextSound = now }
                if videoTrack != nil, video != nil { nextPicture = now }
                return output
            case .keyFrameWanted(_, let encoding): video?.requestKeyFrame(encoding: encoding)
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
        nextSound = .never
        nextPicture = .never
    }

    private func sendSound(now: MediaTime) {
        guard let audioTrack, !isMuted else { return }
        let payload = SyntheticSound(source: source, number: soundNumber, captured: now).payload
        soundNumber &+= 1
        _ = payload.withUnsafeBytes {
            endpoint.send($0, track: audioTrack, time: now, marker: false, level: level, now: now)
        }
    }

    private func sendPicture(now: MediaTime) {
        guard let videoTrack else { return }
        video?.nextPicture(captured: now) { encoding, payload, isLast in
            endpoint.send(payload, track: videoTrack, encoding: encoding, time: now, marker: isLast, now: now)
        }
    }
}
