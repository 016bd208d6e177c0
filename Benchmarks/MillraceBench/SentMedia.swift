import Foundation
import MediaBase
import Recording

/// Media that was sent for one stream, which a recorded file of the stream must contain.
struct SentMedia {
    /// Maximum difference of a time in a file, whose times are in whole milliseconds, in seconds.
    private static let tolerance = 0.005

    var videoFrames: Int
    var audioPackets: Int
    /// Video frames and audio packets per second.
    var videoRate: Double
    var audioRate: Double

    /// Reads a file to its end, and compares the number of its frames and packets, their span of time and the duration in the header.
    /// - Returns: the differences; none for a whole file.
    func faults(of path: String) -> [String] {
        let name = URL(fileURLWithPath: path).lastPathComponent
        do throws(DecodeError) {
            let file = try EncodedFile(path: path)
            var times: [MediaKind: (count: Int, first: Double, last: Double)] = [:]
            while let packet = try file.next() {
                let time = packet.time.seconds
                var track = times[packet.kind] ?? (0, time, time)
                track.count += 1
                track.last = time
                times[packet.kind] = track
            }
            var faults = file.damage.notes.map(\.description)
            if file.isCutOff { faults.append("cut off") }
            var end = 0.0
            for (kind, sent, rate) in [(MediaKind.video, videoFrames, videoRate), (.audio, audioPackets, audioRate)] {
                let track = times[kind] ?? (0, 0, 0)
                let span = track.last - track.first
                let sentSpan = Double(max(0, sent - 1)) / rate
                if track.count != sent { faults.append("\(track.count) of \(sent) frames of \(kind)") }
                if abs(span - sentSpan) > Self.tolerance {
                    faults.append(String(format: "\(kind) of %.3f s instead of %.3f s", span, sentSpan))
                }
                // The decoder's delay is subtracted from the times of packets, but not from the duration in the header.
                let delay = kind == .audio ? Double(file.audio?.preSkip ?? 0) / 48_000 : 0
                end = max(end, track.last + delay + 1 / rate)
            }
            let claimed = file.claimedDuration?.seconds ?? 0
            if abs(claimed - end) > Self.tolerance {
                faults.append(String(format: "a duration of %.3f s in the header instead of %.3f s", claimed, end))
            }
            return faults.map { "\(name): \($0)" }
        } catch {
            return ["\(name): \(error)"]
        }
    }
}
