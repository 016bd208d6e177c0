import Codecs
import MediaBase
import RTP
import Signaling
import WebRTCClient

/// Receives one subscription's media for the canvas. Confined to the media thread.
final class StreamReceiver {
    let subscriber: Subscriber
    private var audio: AudioPlayout?
    private let video = VideoPlayout()
    private let decoder: FrameDecoder
    /// Track of the video in the peer connection.
    private var videoTrack: Int?
    private var lastKeyFrameRequest = MediaTime.zero
    private var needsKeyFrame = false
    private let decryptor = FrameDecryptor()
    private var watches: [MediaKind: DecryptionWatch] = [:]
    /// Frames were dropped because they could not be decrypted: the decoder needs a key frame.
    private var isVideoBroken = false

    /// Minimum time between two key frame requests.
    private static let keyFrameInterval = MediaTime.milliseconds(500)

    /// - Parameter needsKeyFrame: called by the decoder on its own queue.
    init(_ subscriber: Subscriber, needsKeyFrame: @escaping @Sendable (StreamID) -> Void) {
        self.subscriber = subscriber
        let (canvases, stream, hub) = (subscriber.canvases, subscriber.stream, subscriber.hub)
        decoder = FrameDecoder { frame in
            for canvas in canvases { canvas.frameHub.send(frame) }
        } needsKeyFrame: {
            needsKeyFrame(stream)
        } undecodable: { error in
            hub.send(.videoFailed(SessionError(.codecNotDecodable, "\(error)")))
        }
    }

    func receive(_ packet: IncomingPacket, captureTime: MediaTime?, now: MediaTime) {
        switch packet.kind {
        case .audio:
            if audio == nil { audio = try? AudioPlayout(JitterBuffer.Configuration()) }
            guard subscriber.decryption.isEncrypted, !packet.payload.isEmpty else {
                return insertAudio(packet, packet.payload, captureTime, now: now)
            }
            guard let payload = decrypted(packet.payload, .audio, now: now) else { return }
            payload.withUnsafeBytes { insertAudio(packet, $0, captureTime, now: now) }
        case .video:
            videoTrack = packet.track
            video.insert(
                packet.codec ?? .vp8, sequence: packet.sequence, timestamp: packet.header.timestamp,
                marker: packet.header.marker,
                payload: packet.payload, rotation: packet.extensions.videoOrientation?.rotation,
                captureTime: captureTime, now: now)
        }
    }

    private func insertAudio(
        _ packet: IncomingPacket, _ payload: UnsafeRawBufferPointer, _ captureTime: MediaTime?, now: MediaTime
    ) {
        audio?.insert(
            sequence: packet.sequence, timestamp: packet.header.timestamp, payload: payload, captureTime: captureTime,
            now: now)
    }

    private func decode(_ frame: EncodedFrame, now: MediaTime) {
        guard subscriber.decryption.isEncrypted else { return decoder.add(frame) }
        guard frame.codec == .vp8 else { return failed(.unsupportedCodec, .video, now: now) }
        guard let bytes = frame.bytes.withUnsafeBytes({ decrypted($0, .video, now: now) }) else {
            isVideoBroken = true
            return
        }
        if isVideoBroken {
            // The first frame that is decrypted again: those before it are missing at the decoder.
            guard frame.isKeyFrame else {
                needsKeyFrame = true
                return
            }
            isVideoBroken = false
        }
        var frame = frame
        frame.bytes = bytes
        decoder.add(frame)
    }

    /// Returns the decrypted frame of an encrypted stream; nil if it has to be dropped.
    private func decrypted(_ frame: UnsafeRawBufferPointer, _ kind: MediaKind, now: MediaTime) -> [UInt8]? {
        let (bytes, failure) = decryptor.open(frame, kind, with: subscriber.decryption.keys, now: now)
        if bytes != nil {
            watches[kind] = nil
        } else if let failure {
            failed(failure, kind, now: now)
        }
        return bytes
    }

    private func failed(_ failure: EncryptionFailure, _ kind: MediaKind, now: MediaTime) {
        let isAgreed = subscriber.decryption.keys.isAgreed
        guard let action = watches[kind, default: DecryptionWatch()].failed(failure, isAgreed: isAgreed, now: now)
        else {
            return
        }
        if action != .stopVideo || kind == .video { subscriber.encryptionFailed(action) }
    }

    func askForKeyFrame() { needsKeyFrame = true }

    var deadline: MediaTime { min(audio?.deadline ?? .never, video.deadline) }

    /// Passes on all due media.
    /// - Returns: the track for which to request a key frame; nil for none.
    func handleTimeout(now: MediaTime) -> Int? {
        audio?.handleTimeout(now: now) { block in
            for canvas in subscriber.canvases { canvas.audioHub.send(block) }
        }
        if video.take(now: now, { decode($0, now: now) }) { needsKeyFrame = true }
        guard let videoTrack, needsKeyFrame || video.isWaitingForKeyFrame,
            now - lastKeyFrameRequest >= Self.keyFrameInterval
        else { return nil }
        needsKeyFrame = false
        lastKeyFrameRequest = now
        return videoTrack
    }

    var statistics: SubscriberStatistics {
        var statistics = SubscriberStatistics()
        if let audio {
            statistics.audioPackets = audio.statistics.received
            statistics.audioLate = audio.statistics.late
            statistics.audioReordered = audio.statistics.reordered
            statistics.audioConcealed = audio.concealed
            statistics.audioDelay = Duration(audio.targetDelay)
            statistics.audioJitter = Duration(audio.jitter)
        }
        let decoded = decoder.statistics
        statistics.frames = video.frames
        statistics.framesDropped = video.droppedFrames
        statistics.framesDecoded = decoded.decoded
        statistics.framesDamaged = decoded.damaged
        statistics.framesSkipped = decoded.skipped
        statistics.keyFrames = video.keyFrames
        statistics.packetsLost = video.lostPackets
        statistics.width = video.width
        statistics.height = video.height
        return statistics
    }
}
