import MediaBase
import MediaEngine

/// Answer to `GET …/participants/{id}/quality`: the quality of a participant's media over the last minutes, as the relay sees it, with a
/// point about every second.
package struct QualityAnswer: Codable, Sendable {
    /// `QualityPoint` in the units of the API.
    package struct Point: Codable, Sendable, Equatable {
        /// Milliseconds since 1970.
        package var at: Int64
        package var packets: Int
        package var lost: Int
        /// Bits per second.
        package var bitrate: Int
        /// Milliseconds.
        package var roundTrip: Double?
        /// Estimated bandwidth of the path to the client, bits per second.
        package var availableBitrate: Int?
        /// Video with the lowest frames: its encoding or spatial layer, 0 for the smallest.
        package var layer: Int?
        package var temporalLayer: Int?
        /// Height of its frames in pixels.
        package var height: Int?
        /// Number of videos that stand still.
        package var frozen: Int

        package init(
            at: Int64, packets: Int, lost: Int, bitrate: Int, roundTrip: Double? = nil, availableBitrate: Int? = nil,
            layer: Int? = nil, temporalLayer: Int? = nil, height: Int? = nil, frozen: Int
        ) {
            self.at = at
            self.packets = packets
            self.lost = lost
            self.bitrate = bitrate
            self.roundTrip = roundTrip
            self.availableBitrate = availableBitrate
            self.layer = layer
            self.temporalLayer = temporalLayer
            self.height = height
            self.frozen = frozen
        }

        /// - Parameter wall: milliseconds since 1970 at the zero of the point's clock.
        init(_ point: QualityPoint, wall: Int64) {
            at = wall &+ point.at.rawValue / 1_000_000
            packets = point.packets
            lost = point.lost
            bitrate = Int(point.bitrate.rawValue)
            roundTrip = point.roundTrip?.milliseconds
            availableBitrate = point.estimate.map { Int($0.rawValue) }
            layer = point.video?.layer
            temporalLayer = point.video?.temporalLayer
            height = point.video?.height
            frozen = point.frozen
        }
    }

    /// Media that the participant sends, oldest point first.
    package var published: [Point] = []
    /// Media that the participant receives, oldest point first.
    package var subscribed: [Point] = []

    package init() {}

    /// The points as comma-separated values (RFC 4180), with a line of titles. Unknown values are empty.
    package var csv: String {
        var lines = [
            "at,direction,packets,lost,bitrate,roundTrip,availableBitrate,layer,temporalLayer,height,frozen"
        ]
        for (direction, points) in [("published", published), ("subscribed", subscribed)] {
            for point in points {
                let unknown = { (value: Int?) in value.map(String.init) ?? "" }
                let cells = [
                    "\(point.at)", direction, "\(point.packets)", "\(point.lost)", "\(point.bitrate)",
                    point.roundTrip.map { "\($0)" } ?? "", unknown(point.availableBitrate), unknown(point.layer),
                    unknown(point.temporalLayer), unknown(point.height), "\(point.frozen)",
                ]
                lines.append(cells.joined(separator: ","))
            }
        }
        return lines.map { $0 + "\r\n" }.joined()
    }
}

extension QualityAnswer {
    /// Returns the points of a peer.
    /// - Parameter wall: milliseconds since 1970 at the time at which the peer was read.
    static func points(of quality: PeerQuality, wall: Int64) -> [Point] {
        let zero = wall &- quality.now.rawValue / 1_000_000
        return quality.timeline?.points.map { Point($0, wall: zero) } ?? []
    }
}
