import Forwarding
import MediaBase
import RTP

/// Requests to a publisher for missing packets (RFC 4585 section 6.2.1) and key frames (section 6.3.1).
extension Producer {
    /// Returns the compounds to send now.
    /// - Parameter sender: the relay's SSRC.
    /// - Returns: each compound with the number of packets that it requests; 0: it requests a key frame.
    func takeRequests(from sender: SSRC, now: MediaTime) -> [(bytes: [UInt8], missing: Int)] {
        var requests: [(bytes: [UInt8], missing: Int)] = []
        var missing = nack.take(now: now)
        if let inserter { missing = missing.compactMap { inserter.publisherNumber(of: $0) } }
        if !missing.isEmpty {
            var bytes: [UInt8] = []
            ReceiverReport(sender: sender).write(into: &bytes)
            GenericNACK(sender: sender, media: configuration.ssrc, sequences: missing).write(into: &bytes)
            requests.append((bytes, missing.count))
        }
        if nack.needsKeyFrame {
            nack.keyFrameRequested()
            if kind == .video { keyFrames.request() }
        }
        if keyFrames.take(now: now) {
            var bytes: [UInt8] = []
            ReceiverReport(sender: sender).write(into: &bytes)
            PLI(sender: sender, media: configuration.ssrc).write(into: &bytes)
            requests.append((bytes, 0))
        }
        return requests
    }
}
